"""Marks of tests by what they need."""
import pytest

gpu = pytest.mark.gpu
cudnn = pytest.mark.cudnn
slow = pytest.mark.slow
ideep = pytest.mark.ideep


def is_available():
    """Whether the marks can be used: pytest is there."""
    return True


def check_available():
    """An error where is_available() is false."""


def get_error():
    return None


def multi_gpu(gpu_num):
    return pytest.mark.multi_gpu


