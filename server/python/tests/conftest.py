"""What the tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from ptx_analyzer import Kernel, load

KERNELS = Path(__file__).resolve().parents[3] / "tests" / "kernels"


@pytest.fixture
def random() -> np.random.Generator:
    """Random numbers, the same in each run."""
    return np.random.default_rng(1)


@pytest.fixture
def kernel() -> Callable[..., Kernel]:
    """Load a kernel of the repository: the name of the file, and of the kernel if there are several."""

    def find(file: str, name: str | None = None) -> Kernel:
        return load(KERNELS / f"{file}.ptx").kernel(name)

    return find


@pytest.fixture
def saxpy(kernel: Callable[..., Kernel]) -> Kernel:
    """`saxpy(n, a, x, y, out)`."""
    return kernel("saxpy")
