"""Marks of tests by what they need."""
import pytest

gpu = pytest.mark.gpu
cudnn = pytest.mark.cudnn
slow = pytest.mark.slow
ideep = pytest.mark.ideep


def multi_gpu(gpu_num):
    return pytest.mark.multi_gpu


