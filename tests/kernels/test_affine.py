"""The affine kernel and the keyed draws: equal to the naive way, and blind to where a record stands."""

import numpy as np
import pytest

from discreet.kernels.affine import centre_records, map_records, record_draws


def _naive_map(values, sources, centre, matrix, offset, targets, out):
    for row in range(len(values)):
        for place, target in enumerate(targets):
            total = 0.0
            for i, source in enumerate(sources):
                total += (values[row, source] - centre[i]) * matrix[i, place]
            out[row, target] = total + offset[place]


@pytest.mark.parametrize(
    ("n_rows", "n_sources", "n_targets"), [(1, 1, 1), (63, 3, 2), (130, 4, 5), (200, 9, 1)]
)
def test_map_is_the_naive_sum_to_the_bit(n_rows, n_sources, n_targets):
    """Each cell is one sum in the order of the sources, whatever the strip, with untouched columns left alone."""
    rng = np.random.default_rng(n_rows)
    values = rng.normal(size=(n_rows, n_sources + 1)) * 1e3
    sources = rng.permutation(n_sources + 1)[:n_sources]
    targets = rng.permutation(n_targets + 2)[:n_targets]
    matrix, centre = rng.normal(size=(n_sources, n_targets)), rng.normal(size=n_sources)
    offset = rng.normal(size=n_targets)
    fast, slow = np.full((n_rows, n_targets + 2), 7.0), np.full((n_rows, n_targets + 2), 7.0)
    map_records(values, sources, centre, matrix, offset, targets, fast)
    _naive_map(values, sources, centre, matrix, offset, targets, slow)
    np.testing.assert_array_equal(fast, slow)


def test_a_record_maps_to_the_same_bits_at_every_place():
    """One record repeated through several strips gives one result: what a library's matrix product may not do."""
    rng = np.random.default_rng(5)
    record, matrix = rng.normal(size=11), rng.normal(size=(11, 11))
    every, out = np.arange(11), np.empty((777, 11))
    map_records(np.tile(record, (777, 1)), every, np.ones(11), matrix, np.ones(11), every, out)
    assert (out == out[0]).all()


def test_map_may_write_into_its_own_table():
    """Targets may be other columns of the very array that is read."""
    table = np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 0.0]])
    map_records(table, np.array([0, 1]), np.zeros(2), np.ones((2, 1)), np.zeros(1), np.array([2]), table)
    assert table[:, 2].tolist() == [3.0, 7.0]


def test_map_without_targets_or_records_does_nothing():
    """Empty maps are allowed: a table of constants has no free column."""
    out = np.ones((2, 2))
    none = np.empty(0, dtype=np.int64)
    map_records(out, none, np.empty(0), np.empty((0, 0)), np.empty(0), none, out)
    assert (out == 1.0).all()


def test_centre_adds_to_sums():
    """Centred values and their sums, added to what was there."""
    rng = np.random.default_rng(0)
    values, origin = rng.normal(size=(40, 3)), rng.normal(size=3)
    out, sums = np.empty((40, 3)), np.ones(3)
    centre_records(values, origin, out, sums)
    np.testing.assert_array_equal(out, values - origin)
    np.testing.assert_allclose(sums, 1.0 + (values - origin).sum(axis=0), rtol=1e-13)


def _siphash(key, words):
    """SipHash-2-4 in plain integers, word by word."""
    mask = (1 << 64) - 1

    def turn(word, bits):
        return ((word << bits) | (word >> (64 - bits))) & mask

    a, b = key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D
    c, d = key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573

    def mix(a, b, c, d):
        a = (a + b) & mask
        b = turn(b, 13) ^ a
        a = turn(a, 32)
        c = (c + d) & mask
        d = turn(d, 16) ^ c
        a = (a + d) & mask
        d = turn(d, 21) ^ a
        c = (c + b) & mask
        b = turn(b, 17) ^ c
        return a, b, turn(c, 32), d

    for word in words:
        d ^= word
        a, b, c, d = mix(*mix(a, b, c, d))
        a ^= word
    c ^= 0xFF
    for _ in range(4):
        a, b, c, d = mix(a, b, c, d)
    return a ^ b ^ c ^ d


def test_reference_hash_agrees_with_its_authors():
    """The plain SipHash of these tests gives the published value for the eight bytes 0..7 under the key 0..15."""
    key = tuple(int.from_bytes(bytes(range(start, start + 8)), "little") for start in (0, 8))
    assert _siphash(key, [key[0], 8 << 56]) == 0x93F5F5799A932462


@pytest.mark.parametrize("start", [-1, 0, 12])
def test_draws_are_the_keyed_hash(start):
    """Kernel against plain integers, with and without the record's number."""
    values = np.random.default_rng(2).normal(size=(20, 3))
    key = np.array([2**63 + 5, 17], dtype=np.uint64)
    draws = record_draws(values, key, 2, start)
    for row, words in enumerate(values.view(np.uint64).tolist()):
        for draw in range(2):
            place = [start + row] if start >= 0 else []
            hashed = _siphash((2**63 + 5, 17), [*words, *place, draw])
            assert draws[row, draw] == ((hashed >> 11) + 0.5) * 2.0**-53


@pytest.mark.statistical
def test_draws_are_uniform_and_uncorrelated():
    """50,000 near neighbours: Kolmogorov distance and correlation of two draws inside their 1e-6 limits."""
    values = np.arange(50_000, dtype=np.float64)[:, None]
    draws = record_draws(values, np.array([1, 2], dtype=np.uint64), 2, -1)
    for column in draws.T:
        steps = np.arange(1, 50_001) / 50_000
        assert np.abs(np.sort(column) - steps).max() < 2.7 / np.sqrt(50_000)
    assert abs(np.corrcoef(draws.T)[0, 1]) < 4.9 / np.sqrt(50_000)
    assert abs(np.corrcoef(draws[:-1, 0], draws[1:, 0])[0, 1]) < 4.9 / np.sqrt(50_000)
