"""Records alone with their key against a plain count."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.suda import mark_alone


@given(st.lists(st.integers(0, 20), max_size=80))
def test_alone_means_counted_once(keys):
    """Exactly the keys that a counter sees once, also where a key comes three times or more."""
    counts = Counter(keys)
    assert mark_alone(np.array(keys, dtype=np.int64)).tolist() == [counts[key] == 1 for key in keys]
