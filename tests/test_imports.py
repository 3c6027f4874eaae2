"""What importing costs, and what it must not load."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "numba",
    "polars",
    "pandas",
    "pyarrow",
    "narwhals",
    "sklearn",
    "scipy",
    "numpy",
    "altair",
    "matplotlib",
)


def loaded_by(statement: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after one statement."""
    code = f"{statement}\nimport sys\nprint(','.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.strip().split(","))


def test_importing_the_package_loads_nothing_heavy() -> None:
    """`import discreet` brings no dataframe library, no numerical library and no kernel."""
    assert not loaded_by("import discreet") & set(HEAVY)


def test_every_public_name_is_there() -> None:
    """Each name that the package lists can be had, and is what its home says."""
    import discreet

    for name in discreet.__all__:
        assert getattr(discreet, name) is not None
    assert set(dir(discreet)) == set(discreet.__all__)


def test_unknown_names_are_attribute_errors() -> None:
    """A typing error is one, not an import error."""
    import discreet

    assert not hasattr(discreet, "microaggregate")


def test_kernels_compile_nothing_when_imported() -> None:
    """Importing every kernel leaves all of them uncompiled in this process."""
    code = (
        "import importlib, pkgutil, discreet.kernels as home\n"
        "from numba.core.dispatcher import Dispatcher\n"
        "for entry in pkgutil.iter_modules(home.__path__):\n"
        "    module = importlib.import_module(f'discreet.kernels.{entry.name}')\n"
        "    for value in vars(module).values():\n"
        "        assert not (isinstance(value, Dispatcher) and value.signatures), value\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
