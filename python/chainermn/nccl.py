# SPDX-License-Identifier: MIT
"""The interface of NCCL itself, which is not available: communicators use the library's groups of devices."""
_available = False
NCCL_FLOAT16 = NCCL_FLOAT32 = NCCL_FLOAT64 = NCCL_FLOAT = NCCL_SUM = None


class NcclError(RuntimeError):
    """An error of NCCL."""


class NcclCommunicator(object):
    def __init__(self, *args, **kwargs):
        raise RuntimeError('NCCL is not available in this build')


def get_build_version():
    return 0


def get_version():
    return 0


def get_unique_id():
    raise RuntimeError('NCCL is not available in this build')
