# SPDX-License-Identifier: MIT
"""Linear algebra. Inverses, determinants and singular values are computed by the library, the others by NumPy."""
import numpy

from chainer.backends.device_arrays import _elementwise, _linear, _manipulation, _reductions
from chainer.backends.device_arrays._array import devices, through_host

matmul, outer, tensordot, vecdot, trace = (
    _linear.matmul, _linear.outer, _linear.tensordot, _linear.vecdot, _linear.trace)
matrix_transpose, cross = _manipulation.matrix_transpose, _linear.cross


LinAlgError = numpy.linalg.LinAlgError


def diagonal(x, offset=0):
    return _manipulation.diagonal(x, offset, -2, -1)


def inv(a):
    """Returns the inverses of square matrices."""
    return devices.inv(a).astype(a.dtype, copy=False) if a.dtype.kind == 'f' else devices.inv(a)


def det(a):
    """Returns the determinants of square matrices."""
    return devices.det(a).astype(a.dtype, copy=False) if a.dtype.kind == 'f' else devices.det(a)


def norm(x, ord=None, axis=None, keepdims=False):
    """numpy.linalg.norm(); the Euclidean norm is computed on the device."""
    if ord is not None and not (ord == 2 and isinstance(axis, int)):
        return through_host(numpy.linalg.norm, x, ord, axis, keepdims)
    if x.dtype.kind != 'f':  # whose squares may be too large for their dtype
        x = x.astype(float)
    return _elementwise.sqrt(_reductions.sum(x * x, axis, keepdims=keepdims))


def vector_norm(x, axis=None, keepdims=False, ord=2):
    if ord == 2:
        return norm(x, None, axis, keepdims)
    if axis is None:
        y = through_host(numpy.linalg.norm, x.ravel(), ord)
        return y.reshape((1,) * x.ndim) if keepdims else y
    return through_host(numpy.linalg.norm, x, ord, axis, keepdims)


def matrix_norm(x, keepdims=False, ord='fro'):
    return through_host(numpy.linalg.norm, x, ord, (-2, -1), keepdims)


def svd(a, full_matrices=True, compute_uv=True):
    """numpy.linalg.svd(); thin decompositions, and singular values alone, are the library's."""
    if a.ndim >= 2 and a.size and not (full_matrices and compute_uv):
        parts = devices.svd(a) if compute_uv else devices.svd(a)[1:2]
        made = tuple([y.astype(a.dtype, copy=False) if a.dtype.kind == 'f' else y for y in parts])
        return made if compute_uv else made[0]
    return through_host(lambda x: tuple(numpy.linalg.svd(x, full_matrices)) if compute_uv else
                        numpy.linalg.svd(x, full_matrices, False), a)


def svdvals(x):
    return svd(x, compute_uv=False)


def _by_numpy(name):
    def call(*args, **kwargs):
        y = through_host(lambda *a: _plain(getattr(numpy.linalg, name)(*a, **kwargs)), *args)
        return y
    call.__name__ = call.__qualname__ = name
    call.__doc__ = 'numpy.linalg.{}() computed on the host.'.format(name)
    return call


def _plain(y):
    return tuple(y) if isinstance(y, tuple) else y


for _name in ('cholesky', 'eigh', 'eigvalsh', 'qr', 'solve', 'lstsq', 'pinv', 'slogdet', 'matrix_power', 'matrix_rank',
              'tensorsolve', 'tensorinv'):
    globals()[_name] = _by_numpy(_name)
