"""One thread for matrix products: their last bits depend on how many share the work, and a release must not.

Small products are also faster alone, above all on a busy machine; large ones are cut into blocks by our own kernels.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from threadpoolctl import threadpool_limits


def one_blas_thread() -> AbstractContextManager[object]:
    """Inside the block the BLAS library uses one thread, whatever the machine or the environment offers."""
    limits: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
    return limits
