"""Global recoding, top and bottom coding, rounding, individual ranking: small tables worked by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.errors import InputError, ParameterError, UnsuitableError
from discreet.masking.recoding import GlobalRecoding
from discreet.masking.rounding import Rounding
from discreet.masking.top_bottom_coding import TopBottomCoding
from discreet.masking.univariate_microaggregation import UnivariateMicroaggregation
from discreet.table.schema import Schema, Variable
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_build import from_intervals

AGE = Schema((Variable(name="age", kind="numeric", role="quasi", decimals=0),))
PAY = Schema((Variable(name="pay", kind="numeric", role="confidential"),))


def test_cut_points_make_ordered_open_intervals() -> None:
    """18 belongs to the interval that begins with it; missing stays missing; the order is that of the numbers."""
    frame = pl.DataFrame({"age": [17, 18, 64, 65, None]})
    release = GlobalRecoding({"age": [18, 65]}).protect(frame, AGE)
    assert release.data["age"].to_list() == ["<18", "18-64", "18-64", ">=65", None]
    assert release.schema["age"].kind == "ordinal"
    assert release.schema["age"].levels == ("<18", "18-64", ">=65")


def test_intervals_of_the_schema_are_climbed() -> None:
    """A numeric column that names an interval taxonomy is recoded to a depth of it."""
    bands = from_intervals([[0, 5, 10, 15, 20], 2], whole=True)
    schema = Schema((Variable(name="age", kind="numeric", role="quasi", taxonomy="bands"),), {"bands": bands})
    frame = pl.DataFrame({"age": [0, 7, 12, 19]})
    fine = GlobalRecoding({"age": 2}).protect(frame, schema).data["age"].to_list()
    assert fine == ["0-4", "5-9", "10-14", "15-19"]
    coarse = GlobalRecoding({"age": 1}).protect(frame, schema).data["age"].to_list()
    assert coarse == ["0-9", "0-9", "10-19", "10-19"]


def test_a_tree_is_climbed() -> None:
    """Codes become their ancestors at the depth; what is shallower stays."""
    tree = Taxonomy.from_edges([("all", ""), ("x", "all"), ("x1", "x"), ("y", "all")])
    schema = Schema((Variable(name="code", kind="nominal", role="quasi"),)).with_taxonomy(
        "t", tree, columns=["code"]
    )
    frame = pl.DataFrame({"code": ["x1", "y", "x", None]})
    assert GlobalRecoding({"code": 1}).protect(frame, schema).data["code"].to_list() == ["x", "y", "x", None]
    assert GlobalRecoding({"code": 0}).protect(frame, schema).data["code"].to_list() == [
        "all",
        "all",
        "all",
        None,
    ]
    with pytest.raises(ParameterError, match="depths 0 to 2"):
        GlobalRecoding({"code": 3}).protect(frame, schema)


def test_categories_are_merged_by_a_list() -> None:
    """Named categories become one, others stay; neighbours only where there is an order."""
    schema = Schema((Variable(name="race", kind="nominal", role="quasi"),))
    frame = pl.DataFrame({"race": ["a", "b", "c", "b"]})
    merged = GlobalRecoding({"race": {"other": ["b", "c"]}}).protect(frame, schema).data["race"].to_list()
    assert merged == ["a", "other", "other", "other"]
    ordered = Schema((Variable(name="race", kind="ordinal", role="quasi", levels=("a", "b", "c")),))
    with pytest.raises(ParameterError, match="neighbours"):
        GlobalRecoding({"race": {"ends": ["a", "c"]}}).protect(frame, ordered)
    with pytest.raises(ParameterError, match="1 of the 1 categories"):
        GlobalRecoding({"race": {"other": ["zzz"]}}).protect(frame, schema)


@pytest.mark.parametrize("how", ["text", 1, [3], {"a": ["b"]}])
def test_recoding_that_does_not_fit_is_refused(how: object) -> None:
    """A number without a tree, one cut point, a mapping of numbers."""
    with pytest.raises(InputError, match="age"):
        GlobalRecoding({"age": how}).protect(pl.DataFrame({"age": [1, 2]}), AGE)


def test_top_and_bottom_by_bounds() -> None:
    """Beyond the bound: the bound, the mean beyond it (totals stay), or nothing."""
    frame = pl.DataFrame({"pay": [1.0, 5.0, 20.0, 40.0, None]})
    plan = {"top": {"pay": 10.0}, "bottom": {"pay": 2.0}}
    coded = {
        value: TopBottomCoding(**plan, value=value).protect(frame, PAY).data["pay"].to_list()  # type: ignore[arg-type]
        for value in ("bound", "mean", "missing")
    }
    assert coded["bound"] == [2.0, 5.0, 10.0, 10.0, None]
    assert coded["mean"] == [1.0, 5.0, 30.0, 30.0, None]
    assert coded["missing"] == [None, 5.0, None, None, None]


def test_top_by_share_counts_weights() -> None:
    """The top 10 % of 10 records is one record; with all weight on the last two it is the last."""
    frame = pl.DataFrame({"pay": np.arange(1.0, 11.0), "w": [0.0] * 8 + [9.0, 1.0]})
    schema = Schema((*PAY, Variable(name="w", kind="numeric", role="weight")))
    after = TopBottomCoding(top_share=0.1).protect(frame.select("pay"), PAY).data["pay"]
    assert (after != frame["pay"]).sum() == 1
    weighted = TopBottomCoding(top_share=0.1, value="missing").protect(frame, schema).data["pay"]
    assert weighted.is_null().to_list() == [False] * 9 + [True]


def test_crossed_bounds_and_nothing_asked() -> None:
    """A bottom above the top, and no bound at all, are refused."""
    with pytest.raises(ParameterError, match="Give bounds"):
        TopBottomCoding()
    with pytest.raises(ParameterError, match="above the top"):
        TopBottomCoding(top={"pay": 1}, bottom={"pay": 2}).protect(pl.DataFrame({"pay": [1.0]}), PAY)


def test_rounding_to_a_base() -> None:
    """Nearest multiple; bounds clip afterwards; gaps stay."""
    schema = Schema((Variable(name="pay", kind="numeric", role="confidential", upper=1000),))
    frame = pl.DataFrame({"pay": [149.0, 251.0, -260.0, 990.0, None]})
    assert Rounding(100).protect(frame, schema).data["pay"].to_list() == [100.0, 300.0, -300.0, 1000.0, None]


@pytest.mark.statistical
def test_random_rounding_is_unbiased() -> None:
    """130 to base 100 becomes 200 in 30 % of 40 000 cases, within 5 standard errors; multiples stay."""
    frame = pl.DataFrame({"pay": [130.0] * 40_000 + [200.0] * 10})
    after = Rounding(100, random=True).protect(frame, PAY, seed=3).data["pay"].to_numpy()
    assert set(after) == {100.0, 200.0}
    assert abs((after[:40_000] == 200).mean() - 0.3) < 5 * np.sqrt(0.21 / 40_000)
    assert (after[40_000:] == 200).all()


def test_individual_ranking_takes_the_best_groups() -> None:
    """1 2 3 | 10 11 12 14: the cut of least squares, not blocks of k from one end."""
    frame = pl.DataFrame({"pay": [1.0, 10.0, 2.0, 11.0, 3.0, 12.0, 14.0, None]})
    release = UnivariateMicroaggregation(3).protect(frame, PAY, seed=1)
    assert release.data["pay"].to_list() == [2.0, 11.75, 2.0, 11.75, 2.0, 11.75, 11.75, None]
    with pytest.raises(UnsuitableError, match="Fewer than k=9"):
        UnivariateMicroaggregation(9).protect(frame, PAY)


def test_individual_ranking_empties_rare_codes_for_missing() -> None:
    """Three records hold -8 and one -9: the one code is kept, the other is a value that stands alone and goes."""
    coded = Schema((Variable(name="pay", kind="numeric", role="quasi", decimals=0, unknown=(-8, -9)),))
    frame = pl.DataFrame({"pay": [-8, -8, -8, -9, 1, 2, 3]})
    release = UnivariateMicroaggregation(3).protect(frame, coded, seed=1)
    assert release.data["pay"].to_list() == [-8, -8, -8, None, 2, 2, 2]
    assert [note for note in release.notes if note.startswith("1 cells with a declared code")]
