# SPDX-License-Identifier: MIT
"""Versions of the library and its dependencies."""
from __future__ import print_function

import platform
import sys

import numpy


class _RuntimeInfo(object):
    """Information for bug reports."""

    chainer_version = numpy_version = cuda_info = ideep_version = None

    def __init__(self):
        import chainer
        self.chainer_version, self.numpy_version = chainer.__version__, numpy.__version__
        self.platform_version = platform.platform()

    def __str__(self):
        return 'Platform: {}\nChainer: {}\nNumPy: {}\nCuPy: Not Available\niDeep: Not Available\n'.format(
            self.platform_version, self.chainer_version, self.numpy_version)


def _get_runtime_info():
    return _RuntimeInfo()


get_runtime_info = _get_runtime_info


def print_runtime_info(out=None):
    """Prints the versions of the library and its dependencies."""
    print(_get_runtime_info(), file=sys.stdout if out is None else out, end='')
