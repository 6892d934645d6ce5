# SPDX-License-Identifier: MIT
"""Rare functions, computed by NumPy on copies, and objects that make indices and grids."""
import numpy

from chainer.backends.device_arrays._array import finish, ndarray, through_host

_NAMES = '''
    column_stack row_stack block compress extract select delete insert resize trim_zeros ediff1d gradient interp
    digitize histogram2d corrcoef cov correlate convolve quantile nanpercentile nanmedian nanargmax nanargmin nanvar
    nanstd nancumsum nancumprod intersect1d union1d setdiff1d packbits unpackbits sinc i0 unwrap modf logaddexp2
    heaviside float_power gcd lcm polyval vander apply_along_axis blackman hamming hanning bartlett kaiser
    ix_ unravel_index ravel_multi_index'''.split()
__all__ = ['r_', 'c_', 'mgrid', 'ogrid', 'array_repr', 'array_str'] + [n for n in _NAMES if hasattr(numpy, n)]


def _by_numpy(name):
    def call(*args, **kwargs):
        out = kwargs.pop('out', None)
        return finish(through_host(getattr(numpy, name), *args, **kwargs), out)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = 'numpy.{}() computed on the host.'.format(name)
    return call


for _name in _NAMES:
    if hasattr(numpy, _name):  # row_stack is gone in newer ones
        globals()[_name] = _by_numpy(_name)


class _Indexed(object):
    """An object of NumPy that is used by an index, which may contain arrays on devices."""

    def __init__(self, name):
        self._name = name

    def __getitem__(self, key):
        return through_host(lambda k: getattr(numpy, self._name)[k], key)


r_, c_, mgrid, ogrid = [_Indexed(n) for n in ('r_', 'c_', 'mgrid', 'ogrid')]


def array_repr(a, *args, **kwargs):
    return numpy.array_repr(a.get() if isinstance(a, ndarray) else a, *args, **kwargs)


def array_str(a, *args, **kwargs):
    return numpy.array_str(a.get() if isinstance(a, ndarray) else a, *args, **kwargs)
