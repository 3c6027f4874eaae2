"""Which columns an intruder knows and wants, where nobody said so."""

from __future__ import annotations

from discreet.risk.selection import secret_columns
from discreet.table.schema import Variable
from discreet.table.table import Table


def test_a_stratum_is_no_secret() -> None:
    """Without confidential columns all that is not known is wanted, but for the columns of the survey's plan."""
    variables = {
        "age": Variable(name="age", kind="numeric", role="quasi"),
        "pay": Variable(name="pay", kind="numeric", role="other"),
        "region": Variable(name="region", kind="nominal", role="stratum"),
        "home": Variable(name="home", kind="nominal", role="cluster"),
        "weight": Variable(name="weight", kind="numeric", role="weight"),
    }
    cells = {"age": [1, 2], "pay": [3, 4], "region": ["n", "s"], "home": ["a", "b"], "weight": [1.0, 2.0]}
    table = Table.build(cells, variables)
    assert secret_columns(table, known=("age",)) == ("pay",)
    assert secret_columns(table, ("region",)) == ("region",)
