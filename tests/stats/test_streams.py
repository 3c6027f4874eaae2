"""Streams depend on seed, name and block, and on nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.stats.streams import BLOCK_ROWS, Streams, block_slices, new_seed


def test_blocks_agree_with_the_whole() -> None:
    """Draws for rows of a later block are the same whether the earlier rows are drawn or not."""
    streams, n = Streams(11), 2 * BLOCK_ROWS + 5
    whole = streams.normals("noise", "age", n=n)
    parts = [
        streams.normals("noise", "age", n=rows.stop - rows.start, first=rows.start)
        for rows in block_slices(n)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_names_are_not_confused() -> None:
    """('ab', 'c') and ('a', 'bc') are two streams, and so are two seeds and two blocks."""
    draws = {
        Streams(1).generator("ab", "c").random(),
        Streams(1).generator("a", "bc").random(),
        Streams(1).at("ab").generator("c", block=1).random(),
        Streams(2).generator("ab", "c").random(),
    }
    assert len(draws) == 4
    assert Streams(1).at("ab").generator("c").random() == Streams(1).generator("ab", "c").random()


def test_order_of_calls_does_not_matter() -> None:
    """A stream begins anew at every call, whatever was drawn before."""
    streams = Streams(3)
    first = streams.uniforms("u", n=10)
    streams.normals("other", n=1000)
    np.testing.assert_array_equal(streams.uniforms("u", n=10), first)


def test_known_stream_is_pinned() -> None:
    """Recipes replay in later versions: the derivation of a stream never changes."""
    found = Streams(7).at("draw", "0").normals("noise", "age", n=3)
    np.testing.assert_allclose(found, PINNED, rtol=0, atol=0)


PINNED = np.array(
    [
        float.fromhex(text)
        for text in ("0x1.67ff453707c43p-1", "-0x1.2df74b60f4975p-1", "0x1.ca4085271e345p-1")
    ]
)


def test_unseeded_seeds_are_wide() -> None:
    """1 000 seeds from the system are all different and use more than 100 bits."""
    seeds = {new_seed() for _ in range(1000)}
    assert len(seeds) == 1000
    assert max(seeds).bit_length() > 100


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7"])
def test_bad_seeds_are_refused(seed: object) -> None:
    """A seed is a whole number of 0 or more."""
    with pytest.raises(ParameterError, match="seed"):
        Streams(seed)  # type: ignore[arg-type]


def test_seed_is_not_printed() -> None:
    """The representation of streams holds no secret."""
    assert "123456789" not in repr(Streams(123456789))


@pytest.mark.statistical
def test_normals_are_normal_and_independent() -> None:
    """Mean, variance and the correlation of two streams lie within 4.5 standard errors (level 1e-5 each)."""
    n = 200_000
    one, other = Streams(5).normals("a", n=n), Streams(5).normals("b", n=n)
    assert abs(one.mean()) < 4.5 / np.sqrt(n)
    assert abs(one.var() - 1) < 4.5 * np.sqrt(2 / n)
    assert abs(np.corrcoef(one, other)[0, 1]) < 4.5 / np.sqrt(n)
