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
from discreet.recipe import Recipe
from discreet.table.schema import Schema, Variable
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_build import from_intervals
from discreet.workflow.replay import replay

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


def test_a_category_that_does_not_occur_this_time_is_noted() -> None:
    """A recipe of another quarter may list what this one lacks: counted, by column, never named."""
    schema = Schema((Variable(name="race", kind="nominal", role="quasi"),))
    frame = pl.DataFrame({"race": ["a", "b", "c", "b"]})
    release = GlobalRecoding({"race": {"other": ["b", "zzz"]}}).protect(frame, schema)
    assert release.data["race"].to_list() == ["a", "other", "c", "other"]
    assert release.notes[-1] == "Column 'race': 1 of the 2 categories to merge do not occur."


@pytest.mark.parametrize("groups", [{9: [1, 2]}, {"9": ["1", "2"]}, {9: (np.int64(1), 2.0)}])
def test_whole_numbers_are_merged_to_whole_numbers(groups: dict[object, object]) -> None:
    """Codes are told by their text, and a new code is a number where the others are: also read back from a recipe."""
    schema = Schema((Variable(name="z", kind="nominal", role="quasi"),))
    plan = GlobalRecoding({"z": groups})
    assert plan == GlobalRecoding({"z": {"9": ("1", "2")}})
    frame = pl.DataFrame({"z": [1, 2, 3, 9]})
    release = plan.protect(frame, schema, seed=1)
    assert release.data.equals(pl.DataFrame({"z": [9, 9, 3, 9]}))
    again = replay(Recipe.from_toml(release.recipe.to_toml()), frame)
    assert again.data.equals(release.data)
    words = GlobalRecoding({"z": {"few": [1, 2]}}).protect(frame, schema).data["z"].to_list()
    assert words == ["few", "few", "3", "9"]


@pytest.mark.parametrize("cuts", [range(0, 100, 50), np.array([0, 50]), [0, np.int64(50)], (0, 50)])
def test_cut_points_of_any_kind_are_one_method(cuts: object) -> None:
    """A range, an array, a list: plain numbers in the recipe, and the same intervals."""
    assert GlobalRecoding({"age": cuts}) == GlobalRecoding({"age": [0, 50]})
    release = GlobalRecoding({"age": cuts}).protect(pl.DataFrame({"age": [3, 70]}), AGE)
    assert release.data["age"].to_list() == ["0-49", ">=50"]
    assert "50" in release.recipe.to_toml()


@pytest.mark.parametrize(
    "how",
    [
        "20",
        2.5,
        True,
        -1,
        [3],
        ["20", "x"],
        [5, 4],
        [1, float("nan")],
        [1, float("inf")],
        {},
        {"a": "bc"},
        {"a": 5},
    ]
    + [{"a": ["x", "y"], "b": ["y"]}, {"a": []}, {1: ["x"], "1": ["y"]}],
)
def test_recoding_that_says_nothing_clear_is_refused_at_once(how: object) -> None:
    """No depth, no rising cut points, no lists that part the categories: by column, before data is read."""
    with pytest.raises(ParameterError, match=r"`columns\['age'\]`"):
        GlobalRecoding({"age": how})


@pytest.mark.parametrize("how", ["text", 1, [3], {"a": ["b"]}])
def test_recoding_that_does_not_fit_is_refused(how: object) -> None:
    """A number without a tree, one cut point, a mapping of numbers."""
    with pytest.raises(InputError, match="age"):
        GlobalRecoding({"age": how}).protect(pl.DataFrame({"age": [1, 2]}), AGE)


def test_top_and_bottom_by_bounds() -> None:
    """Beyond the bound: the bound, the mean beyond it (totals stay), or nothing."""
    frame = pl.DataFrame({"pay": [1.0, 5.0, 20.0, 40.0, 60.0, None]})
    plan = {"top": {"pay": 10.0}, "bottom": {"pay": 2.0}}
    coded = {
        value: TopBottomCoding(**plan, value=value).protect(frame, PAY).data["pay"].to_list()  # type: ignore[arg-type]
        for value in ("bound", "mean", "missing")
    }
    assert coded["bound"] == [2.0, 5.0, 10.0, 10.0, 10.0, None]
    assert coded["mean"] == [
        2.0,
        5.0,
        40.0,
        40.0,
        40.0,
        None,
    ]  # one record below: its mean would be its value
    assert coded["missing"] == [None, 5.0, None, None, None, None]


def test_the_mean_of_few_is_not_published() -> None:
    """One or two records beyond, or three of which one has weight: the bound, and a note that names column and side."""
    schema = Schema((*PAY, Variable(name="w", kind="numeric", role="weight")))
    frame = pl.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0, 50.0, 70.0, 1e6], "w": [1.0] * 5 + [0.0, 0.0]})
    plan = TopBottomCoding(top={"pay": 10.0}, bottom={"pay": 1.5}, value="mean")
    release = plan.protect(frame, schema)
    assert release.data["pay"].to_list() == [1.5, 2.0, 3.0, 4.0, 10.0, 10.0, 10.0]
    assert [note for note in release.notes if "beyond" in note] == [
        "Coded to the bound, because fewer than 3 records with weight lie beyond: pay (bottom), pay (top)."
    ]
    assert plan.protect(frame.select("pay"), PAY).data["pay"].to_list()[4:] == [1000120 / 3] * 3


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


def test_multiples_are_written_as_multiples() -> None:
    """Three times 0.1 is 0.3 to the last bit, and nothing becomes a negative zero."""
    frame = pl.DataFrame({"pay": [0.31, -0.04, 7.0, -0.26]})
    for random in (False, True):
        after = Rounding(0.1, random=random).protect(frame, PAY, seed=1).data["pay"].to_list()
        assert [repr(value) for value in after] == [repr(round(value, 1) + 0.0) for value in after]
    assert [str(v) for v in Rounding(0.1).protect(frame, PAY).data["pay"]] == ["0.3", "0.0", "7.0", "-0.3"]


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
