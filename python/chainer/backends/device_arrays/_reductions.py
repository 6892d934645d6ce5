# SPDX-License-Identifier: MIT
"""Reductions over axes."""
import numpy

from chainer.backends.device_arrays import _elementwise
from chainer.backends.device_arrays._array import axis_in, cast, devices, dtype_there, finish, through_host

__all__ = ['sum', 'prod', 'max', 'min', 'amax', 'amin', 'mean', 'var', 'std', 'all', 'any', 'count_nonzero', 'argmax',
           'argmin', 'cumsum', 'cumprod', 'cumulative_sum', 'cumulative_prod', 'average', 'median', 'percentile',
           'nansum', 'nanprod', 'nanmax', 'nanmin', 'nanmean', 'ptp', 'bincount', 'histogram', 'diff']


def _reduction(name):
    compute = getattr(devices, name)

    def call(a, axis=None, dtype=None, out=None, keepdims=False):
        return finish(compute(cast(a, dtype), axis, bool(keepdims)), out)
    return _named(call, name)


def _without_dtype(name):
    compute = getattr(devices, name)

    def call(a, axis=None, out=None, keepdims=False, dtype=None):
        return finish(cast(compute(a, axis, bool(keepdims)), dtype), out)
    return _named(call, name)


def _along(name):
    compute = getattr(devices, name)

    def call(a, axis=None, dtype=None, out=None):
        return finish(compute(cast(a, dtype), axis), out)
    return _named(call, name)


def _named(function, name):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = 'numpy.{}() on a device.'.format(name)
    return function


prod, mean = _reduction('prod'), _reduction('mean')
max, min, all, any = [_without_dtype(n) for n in ('max', 'min', 'all', 'any')]
amax, amin = max, min
cumsum, cumprod = _along('cumsum'), _along('cumprod')


def sum(a, axis=None, dtype=None, out=None, keepdims=False):
    """numpy.sum() on a device."""
    return finish(devices.sum(a, axis, bool(keepdims), dtype_there(dtype)), out)


def count_nonzero(a, axis=None, keepdims=False):
    """numpy.count_nonzero() on a device."""
    return devices.count_nonzero(a, axis, bool(keepdims))


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, correction=None):
    """numpy.var() on a device."""
    ddof = int(ddof if correction is None else correction)
    return finish(devices.var(cast(a, dtype), axis, bool(keepdims), ddof), out)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, correction=None):
    """numpy.std() on a device."""
    return finish(_elementwise.sqrt(var(a, axis, dtype, None, ddof, keepdims, correction)), out)


def argmax(a, axis=None, dtype=None, out=None, keepdims=False):
    """Returns the position of the first largest element."""
    return finish(_position(devices.argmax, a, axis, dtype, keepdims), out)


def argmin(a, axis=None, dtype=None, out=None, keepdims=False):
    """Returns the position of the first smallest element."""
    return finish(_position(devices.argmin, a, axis, dtype, keepdims), out)


def _position(compute, a, axis, dtype, keepdims):
    y = cast(compute(a, axis), dtype)
    if not keepdims:
        return y
    return y.reshape((1,) * a.ndim) if axis is None else devices.expand_dims(y, axis if axis >= 0 else axis + a.ndim)


def cumulative_sum(x, axis=None, dtype=None, include_initial=False):
    """Returns cumulative sums, with a leading zero if include_initial is true."""
    return _cumulative(cumsum, 0, x, axis, dtype, include_initial)


def cumulative_prod(x, axis=None, dtype=None, include_initial=False):
    """Returns cumulative products, with a leading one if include_initial is true."""
    return _cumulative(cumprod, 1, x, axis, dtype, include_initial)


def _cumulative(compute, initial, x, axis, dtype, include_initial):
    from chainer.backends.device_arrays import _creation
    if axis is None:
        if x.ndim > 1:
            raise ValueError('cumulative sums of an array of {} axes need an axis'.format(x.ndim))
        axis = 0
    y = compute(x, axis, dtype)
    if not include_initial:
        return y
    shape = list(x.shape)
    shape[axis] = 1
    return devices.concatenate([_creation.full(tuple(shape), initial, y.dtype, device=y._device_id), y], axis)


def average(a, axis=None, weights=None, returned=False):
    """Returns the mean, weighted if weights are given."""
    if weights is None:
        mean_of, total = mean(a, axis), None
        total = mean_of * 0 + a.size / mean_of.size
    else:
        if weights.ndim == 1 and a.ndim > 1:
            weights = weights.reshape((-1,) + (1,) * (a.ndim - 1 - axis_in(axis, a.ndim)))
        total = sum(weights + a * 0, axis)
        mean_of = sum(a * weights, axis) / total
    return (mean_of, total) if returned else mean_of


def nansum(a, axis=None, dtype=None, out=None, keepdims=False):
    return sum(_elementwise.where(_elementwise.isnan(a), 0, a), axis, dtype, out, keepdims)


def nanprod(a, axis=None, dtype=None, out=None, keepdims=False):
    return prod(_elementwise.where(_elementwise.isnan(a), 1, a), axis, dtype, out, keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    """Returns the mean of the elements that are not NaN."""
    total = nansum(a, axis, dtype, keepdims=keepdims)
    return finish(total / count_nonzero(a == a, axis, keepdims).astype(total.dtype), out)


def _without_nan(reduce, instead):
    def call(a, axis=None, out=None, keepdims=False):
        if a.dtype.kind != 'f':
            return reduce(a, axis, out, keepdims)
        missing = _elementwise.isnan(a)
        y = reduce(_elementwise.where(missing, instead, a), axis, keepdims=keepdims)
        return finish(_elementwise.where(all(missing, axis, keepdims=keepdims), numpy.nan, y), out)
    return call


nanmax, nanmin = _named(_without_nan(max, -numpy.inf), 'nanmax'), _named(_without_nan(min, numpy.inf), 'nanmin')


def ptp(a, axis=None, out=None, keepdims=False):
    return finish(max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims), out)


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Returns n-th differences of neighbours along an axis."""
    parts = [p for p in (prepend, a, append) if p is not None]
    y = a if len(parts) == 1 else devices.concatenate(parts, axis)
    at = axis_in(axis, a.ndim)
    for _ in range(n):
        head, tail = [(slice(None),) * at + (s,) for s in (slice(1, None), slice(None, -1))]
        y = _elementwise.not_equal(y[head], y[tail]) if y.dtype == numpy.bool_ else y[head] - y[tail]
    return y


def _by_numpy(name):
    def call(*args, **kwargs):
        return through_host(getattr(numpy, name), *args, **kwargs)
    return _named(call, name)


median, percentile, bincount, histogram = [_by_numpy(n) for n in ('median', 'percentile', 'bincount', 'histogram')]
