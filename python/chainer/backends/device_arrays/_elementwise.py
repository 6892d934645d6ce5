# SPDX-License-Identifier: MIT
"""Elementwise functions. Those in the library's lists of operations get their functions from the lists."""
import builtins
import math

import numpy

from chainer.backends.device_arrays._array import cast, devices, finish, floating, ndarray, through_host

__all__ = ['abs', 'clip', 'where', 'positive', 'round', 'around', 'round_', 'logaddexp', 'hypot', 'arcsinh', 'arccosh',
           'arctanh', 'invert', 'bitwise_not', 'bitwise_invert', 'divmod', 'real', 'imag', 'conj', 'isclose', 'allclose',
           'nan_to_num', 'array_equal', 'degrees', 'radians', 'exp2', 'angle', 'iscomplex', 'isreal', 'iscomplexobj',
           'isrealobj', 'isposinf', 'isneginf']


def _unary(name):
    compute = getattr(devices, name)

    def call(x, out=None, dtype=None):
        return finish(compute(cast(x, dtype)), out)

    def of_floating(x, out=None, dtype=None):
        return finish(compute(floating(cast(x, dtype))), out)
    # Those that NumPy has only for floating numbers; older ones also have these three only for them.
    types = getattr(getattr(numpy, name), 'types', '?')
    return _named(of_floating if types[0] == 'e->e' and name not in ('floor', 'ceil', 'trunc') else call, name)


def _binary(name):
    compute = getattr(devices, name)

    def call(x1, x2, out=None, dtype=None):
        return finish(compute(cast(x1, dtype), cast(x2, dtype)), out)
    return _named(call, name)


def _named(function, name):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = 'numpy.{}() on a device.'.format(name)
    return function


# The operations of the lists that NumPy has, too; `copy` is a method.
for _names, _make in ((devices.UNARY, _unary), (devices.BINARY, _binary)):
    for _name in _names:
        if hasattr(numpy, _name) and _name != 'copy':
            globals()[_name] = _make(_name)
            __all__.append(_name)

absolute, exp, log, sqrt, sign = [globals()[n] for n in ('absolute', 'exp', 'log', 'sqrt', 'sign')]
isnan, isinf, maximum, minimum = [globals()[n] for n in ('isnan', 'isinf', 'maximum', 'minimum')]
abs = absolute
_OTHER_NAMES = {'acos': 'arccos', 'asin': 'arcsin', 'atan': 'arctan', 'atan2': 'arctan2', 'acosh': 'arccosh',
                'asinh': 'arcsinh', 'atanh': 'arctanh', 'pow': 'power', 'fix': 'trunc',
                'conjugate': 'conj', 'fabs': 'absolute', 'deg2rad': 'radians', 'rad2deg': 'degrees',
                'true_divide': 'divide', 'mod': 'remainder'}


def where(condition, x=None, y=None):
    """Returns x where the condition is true, else y; without x and y, the positions of the true elements."""
    if x is None and y is None:
        return condition.nonzero()
    return devices.where(condition, x, y)


def clip(a, a_min=None, a_max=None, out=None, min=None, max=None):
    """Returns the elements bounded by a_min and a_max, also named min and max; None is no bound."""
    a_min, a_max = min if a_min is None else a_min, max if a_max is None else a_max
    if a_min is None and a_max is None:
        raise ValueError('clip: one of a_min and a_max must be given')
    y = a if a_min is None else maximum(a, a_min)
    return finish(y if a_max is None else minimum(y, a_max), out)


def positive(x, out=None):
    return finish(+x, out)


def round(a, decimals=0, out=None):
    """Rounds to the nearest even value at a number of decimals."""
    a = floating(a) if a.dtype == numpy.bool_ else a
    if decimals == 0 or decimals > 0 and a.dtype.kind in 'biu':
        return finish(devices.rint(a) if a.dtype.kind == 'f' else a._copy(), out)
    scale = 10. ** builtins.abs(decimals)
    if decimals > 0:
        return finish(devices.rint(a * scale) / scale, out)
    return finish((devices.rint(a / scale) * scale).astype(a.dtype, copy=False), out)


around = round_ = round


def logaddexp(x1, x2, out=None):
    """Returns log(exp(x1) + exp(x2))."""
    x1, x2 = floating(x1), floating(x2)
    top = maximum(x1, x2)
    y = top + devices.log1p(exp(-absolute(x1 - x2)))
    return finish(where(isinf(top), top, y), out)


def hypot(x1, x2, out=None):
    """Returns sqrt(x1 * x1 + x2 * x2), also where the squares are too large or too small for the dtype."""
    x1, x2 = builtins.abs(floating(x1)), builtins.abs(floating(x2))
    most = maximum(x1, x2)
    scale = where((most > 0) & devices.isfinite(most), most, 1)
    x1, x2 = x1 / scale, x2 / scale
    return finish(sqrt(x1 * x1 + x2 * x2) * scale, out)


def arctan2(x1, x2, out=None):
    """numpy.arctan2() on a device."""
    return finish(devices.arctan2(floating(x1), floating(x2)), out)


def arcsinh(x, out=None):
    x = floating(_array(x))
    y = builtins.abs(x)
    z = devices.log1p(y + y * y / (1 + sqrt(y * y + 1)))
    return finish(sign(x) * where(y > _large(y), log(y) + math.log(2), z), out)


def arccosh(x, out=None):
    x = floating(_array(x))
    y = x - 1.
    z = devices.log1p(y + sqrt(y) * sqrt(y + 2))
    return finish(where(y > _large(y), log(x) + math.log(2), z), out)


def _array(x):
    """Returns an array for a number."""
    return x if isinstance(x, ndarray) else devices.copy(x)


def _large(y):
    """Returns a number above which the square of y is so large that y * y + 1 is y * y."""
    return 200 if y.dtype == numpy.float16 else 1e8


def reciprocal(x, out=None):
    """Returns 1 / x, of integers as integers."""
    x = _array(x)
    if x.dtype.kind == 'f':
        return finish(devices.reciprocal(x), out)
    y = x.astype(numpy.int8, copy=False) if x.dtype == numpy.bool_ else x
    return finish(where(y == 1, y, where(y == -1, y, y * 0)), out)


def arctanh(x, out=None):
    x = floating(_array(x))
    return finish(0.5 * (devices.log1p(x) - devices.log1p(-x)), out)


def exp2(x, out=None):
    return finish(devices.power(2., floating(x)), out)


def degrees(x, out=None):
    return finish(floating(x) * (180 / math.pi), out)


def radians(x, out=None):
    return finish(floating(x) * (math.pi / 180), out)


def divmod(x1, x2):
    return devices.floor_divide(x1, x2), devices.remainder(x1, x2)


def real(x):
    return x


conj = real


def imag(x):
    return where(devices.less(x, x), x, 0)


def angle(z, deg=False):
    """Returns the angle of real numbers: 0, or pi if they are negative."""
    y = floating(_array(z))
    return where(y < 0, 180. if deg else math.pi, where(y >= 0, 0., y))


def iscomplex(x):
    return devices.less(x, x)


def isreal(x):
    return devices.logical_not(devices.less(x, x))


def iscomplexobj(x):
    return numpy.iscomplexobj(x) if not isinstance(x, ndarray) else False


def isrealobj(x):
    return not iscomplexobj(x)


def isposinf(x, out=None):
    return finish(devices.logical_and(isinf(x), x > 0), out)


def isneginf(x, out=None):
    return finish(devices.logical_and(isinf(x), x < 0), out)


def invert(x, out=None):
    """Returns the complement of booleans or of the bits of integers."""
    if x.dtype == numpy.bool_:
        return finish(devices.logical_not(x), out)
    if x.dtype.kind == 'f':
        raise TypeError('invert: booleans or integers are expected, not {}'.format(x.dtype))
    return finish((255 if x.dtype.kind == 'u' else -1) - x, out)


bitwise_not = bitwise_invert = invert


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    close = (absolute(a * 1 - b) <= atol + rtol * absolute(b)) & ~(isinf(b) & (a != b)) | (a == b)
    return close | (isnan(a) & isnan(b)) if equal_nan else close


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1, a2):
    return a1.shape == a2.shape and bool((a1 == a2).all())


def nan_to_num(x):
    """Replaces NaN by zero and infinities by the largest numbers of the dtype."""
    if x.dtype.kind != 'f':
        return x
    most = float(numpy.finfo(x.dtype).max)
    return where(isnan(x), 0, clip(where(isnan(x), 0, x), -most, most))


def _by_numpy(name):
    def call(*args, **kwargs):
        out = kwargs.pop('out', None)
        return finish(through_host(getattr(numpy, name), *args, **kwargs), out)
    return _named(call, name)


# Computed by NumPy on the host.
for _name in ('copysign', 'cbrt', 'fmax', 'fmin', 'frexp', 'ldexp', 'nextafter', 'signbit', 'left_shift',
              'right_shift'):
    globals()[_name] = _by_numpy(_name)
    __all__.append(_name)
_OTHER_NAMES.update(bitwise_left_shift='left_shift', bitwise_right_shift='right_shift')


def _bits(name, of_booleans):
    by_numpy = _by_numpy(name)

    def call(x1, x2, out=None):
        kinds = [x.dtype.kind if isinstance(x, ndarray) else 'b' if isinstance(x, (bool, numpy.bool_)) else 'i'
                 for x in (x1, x2)]
        return finish(getattr(devices, of_booleans)(x1, x2) if kinds == ['b', 'b'] else by_numpy(x1, x2), out)
    return _named(call, name)


for _name in ('and', 'or', 'xor'):
    globals()['bitwise_' + _name] = _bits('bitwise_' + _name, 'logical_' + _name)
    __all__.append('bitwise_' + _name)
for _name, _there in _OTHER_NAMES.items():
    globals()[_name] = globals()[_there]
    __all__.append(_name)
