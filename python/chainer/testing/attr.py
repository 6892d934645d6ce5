# SPDX-License-Identifier: MIT
"""Marks of tests by their requirements."""
import pytest

gpu = pytest.mark.gpu
cudnn = pytest.mark.cudnn
slow = pytest.mark.slow
ideep = pytest.mark.ideep


def is_available():
    """Returns True if the marks can be used, that is, pytest is installed."""
    return True


def check_available():
    """Raises an error if is_available() is false."""


def get_error():
    return None


def multi_gpu(gpu_num):
    return pytest.mark.multi_gpu


