# SPDX-License-Identifier: MIT
"""The interface of iDeep, which this library does not need."""
from chainer.configuration import config  # NOQA


class mdarray(object):
    """The type of iDeep arrays; it has no instances."""


ideep = None


def is_ideep_available():
    return False


def check_ideep_available():
    raise RuntimeError('iDeep is not supported by this library')


def should_use_ideep(level):
    return False


def inputs_all_ready(inputs, supported_ndim=(2, 4)):
    return False
