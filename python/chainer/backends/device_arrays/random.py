# SPDX-License-Identifier: MIT
"""Random numbers with the names of numpy.random, drawn by NumPy and copied to the current device.

The functions of this module draw from the generator of numpy.random, so a program draws the same numbers on the host
and on a device; seed() seeds both.
"""
import numpy

from chainer.backends.device_arrays._array import ndarray, send


class RandomState(object):
    """numpy.random.RandomState whose arrays are on the current device; `dtype` may be given to every method."""

    def __init__(self, seed=None, method=None):
        self._host = numpy.random.RandomState(seed)

    @classmethod
    def _of(cls, host):
        self = cls.__new__(cls)
        self._host = host
        return self

    def seed(self, seed=None):
        self._host.seed(seed)

    def shuffle(self, a):
        """Orders the first axis of an array at random, in place."""
        a[...] = a[self._host.permutation(len(a))]

    def permutation(self, a):
        if isinstance(a, ndarray):
            return a[self._host.permutation(len(a))]
        return send(self._host.permutation(a))

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        draw = getattr(self._host, name)

        def call(*args, **kwargs):
            dtype = kwargs.pop('dtype', None)
            if dtype is not None and name in ('randint', 'random_integers'):
                kwargs['dtype'] = dtype
            args = [a.get() if isinstance(a, ndarray) else a for a in args]
            kwargs = {k: v.get() if isinstance(v, ndarray) else v for k, v in kwargs.items()}
            y = numpy.asarray(draw(*args, **kwargs))
            return send(y if dtype is None else y.astype(dtype))
        call.__name__ = name
        return call


_state = RandomState._of(numpy.random.random.__self__)


def get_random_state():
    return _state


def __getattr__(name):
    if name.startswith('_'):
        raise AttributeError(name)
    return getattr(_state, name)
