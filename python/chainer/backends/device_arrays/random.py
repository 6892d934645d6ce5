# SPDX-License-Identifier: MIT
"""Random numbers with the names of numpy.random, drawn by NumPy and copied to the current device.

The functions of this module draw from the generator of numpy.random, so a program draws the same numbers on the host
and on a device; seed() seeds both.
"""
import os

import numpy

from chainer.backends.device_arrays._array import ndarray, send


# The methods whose parameter after `size` is `dtype` in CuPy, with the number of the parameters before it.
_BEFORE_DTYPE = dict(
    beta=3, binomial=3, chisquare=2, dirichlet=2, exponential=2, f=3, gamma=3, geometric=2, gumbel=3, hypergeometric=4,
    laplace=3, logistic=3, lognormal=3, logseries=2, negative_binomial=3, noncentral_chisquare=3, noncentral_f=4,
    normal=3, pareto=2, poisson=2, power=2, random=1, random_sample=1, rayleigh=2, standard_cauchy=1,
    standard_exponential=1, standard_gamma=2, standard_normal=1, standard_t=2, triangular=4, uniform=3, vonmises=3,
    wald=3, weibull=2, zipf=2)
_OTHER_NAMES = dict(sample='random_sample', ranf='random_sample')


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
        name = _OTHER_NAMES.get(name, name)
        draw = getattr(self._host, name)
        count = _BEFORE_DTYPE.get(name)

        def call(*args, **kwargs):
            dtype = kwargs.pop('dtype', None)
            if count is not None and len(args) == count + 1:
                args, dtype = args[:count], args[count]
            if dtype is not None and name == 'randint':
                kwargs['dtype'] = dtype
            args = [a.get() if isinstance(a, ndarray) else a for a in args]
            kwargs = {k: v.get() if isinstance(v, ndarray) else v for k, v in kwargs.items()}
            y = draw(*args, **kwargs)
            if isinstance(y, (bytes, tuple)):  # of bytes() and get_state()
                return y
            y = numpy.asarray(y)
            return send(y if dtype is None else y.astype(dtype))
        call.__name__ = name
        return call


_state = RandomState._of(numpy.random.random.__self__)


def get_random_state():
    return _state


def set_random_state(rs):
    """Continues with the numbers of a RandomState, in this module and in numpy.random."""
    _state._host.set_state(rs._host.get_state())


def reset_states():
    """Seeds by the variable CUPY_SEED or CHAINER_SEED, without one at random."""
    given = os.environ.get('CUPY_SEED', os.environ.get('CHAINER_SEED'))
    _state.seed(None if given is None else int(given))


def __getattr__(name):
    if name.startswith('_'):
        raise AttributeError(name)
    return getattr(_state, name)
