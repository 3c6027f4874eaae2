"""The algorithms as printed: what they promise, the outliers they make, and where they refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.moments import moment_errors
from discreet.stats.restoration_printed import restore_printed


def _naive(original, treated):
    """Steps 2 to 7 of Algorithm 1 with an explicit inverse and loops, as they stand on the page."""
    n_records, n_columns = original.shape
    upper = np.linalg.cholesky(np.cov(original.T, bias=True)).T
    a = treated @ np.linalg.inv(upper)
    a[:, 0] -= a[:, 0].mean()
    for v in range(2, n_columns + 1):
        system, right = np.zeros((v - 1, v - 1)), np.zeros(v - 1)
        for j in range(1, v):
            right[j - 1] = -sum(a[i, j - 1] * a[i, v - 1] for i in range(n_records - v + 1))
            for i in range(1, v):
                system[j - 1, i - 1] = a[n_records - v + i, j - 1]
        a[n_records - v + 1 :, v - 1] = np.linalg.solve(system, right)
        a[:, v - 1] -= a[:, v - 1].mean()
    return a / a.std(axis=0) @ upper + original.mean(axis=0)


@given(seed=st.integers(0, 2**32 - 1), n_columns=st.integers(2, 5), more=st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_it_is_what_is_printed(seed, n_columns, more):
    """Against the naive transcription, and with the moments it promises."""
    rng = np.random.default_rng(seed)
    original, treated = rng.normal(size=(2, n_columns + more, n_columns))
    try:
        hybrid = restore_printed(original, treated)
    except UnsuitableError:
        return
    if hybrid.condition < 1e6 and np.linalg.cond(np.cov(original.T)) < 1e4:
        np.testing.assert_allclose(hybrid.values, _naive(original, treated), atol=1e-6)
        assert moment_errors(original, hybrid.values).largest < 1e-6


def test_the_solved_records_are_outliers():
    """A residual correlation of 1,000 records is balanced by the last one: it carries most of the second column."""
    rng = np.random.default_rng(0)
    original = rng.normal(size=(1_000, 2))
    treated = original + rng.normal(size=(1_000, 1))
    hybrid = restore_printed(original, treated)
    own = hybrid.values[:, 1] - hybrid.values[:, 1].mean()
    assert hybrid.largest_solved > 30.0
    assert own[-1] ** 2 > 0.5 * np.square(own).sum()


def test_tables_it_cannot_treat_are_refused_with_advice():
    """A total beside its parts, a last record at the mean of the first column, flat columns: use the default."""
    rng = np.random.default_rng(1)
    original, treated = rng.normal(size=(2, 50, 3))
    exact = np.column_stack([original[:, :2], original[:, :2].sum(axis=1)])
    with pytest.raises(UnsuitableError, match=r"not positive definite.*transport"):
        restore_printed(exact, treated)
    stuck = treated.copy()
    stuck[:, 0] = [*np.tile([1.0, -1.0], 24), 0.0, 0.0]
    with pytest.raises(UnsuitableError, match=r"column 2 has no stable solution.*transport"):
        restore_printed(original, stuck)
    with pytest.raises(UnsuitableError, match="transport"):
        restore_printed(original, np.ones_like(original))


def test_bad_arguments_are_refused():
    """Shapes, values that are not finite, too few records."""
    table = np.random.default_rng(2).normal(size=(10, 3))
    with pytest.raises(ParameterError):
        restore_printed(table, table[:, :2])
    with pytest.raises(ParameterError):
        restore_printed(table, np.where(table > 1.0, np.inf, table))
    with pytest.raises(UnsuitableError, match="too few"):
        restore_printed(table[:3], table[:3])
