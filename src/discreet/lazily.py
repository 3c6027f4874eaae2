"""Functions and classes of libraries that take long to load, loaded when they are first called.

Of the libraries for statistics most commands need little: a name made here costs nothing until it is used. For whole
modules of NumPy's and SciPy's size this is the difference between a command that answers at once and one that does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Lazily:
    """What `module` calls `name`, to be called like it.

    >>> Lazily("math", "comb")(5, 2)
    10
    """

    module: str
    name: str

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return getattr(import_module(self.module), self.name)(*arguments, **options)
