# SPDX-License-Identifier: MIT
import collections.abc as collections_abc  # NOQA
import contextlib

import numpy

from chainer.utils import argument  # NOQA
from chainer.utils import array  # NOQA
from chainer.utils import conv  # NOQA
from chainer.utils import conv_nd  # NOQA
from chainer.utils import precision  # NOQA
from chainer.utils import sparse  # NOQA
from chainer.utils import type_check  # NOQA
from chainer.utils.array import sum_to  # NOQA
from chainer.utils.conv import get_conv_outsize, get_deconv_outsize  # NOQA
from chainer.utils.experimental import experimental  # NOQA
from chainer.utils.sparse import CooMatrix, get_order, to_coo  # NOQA
from chainer.utils.walker_alias import WalkerAlias  # NOQA


def force_array(x, dtype=None):
    """Converts an array or a number to an ndarray."""
    if numpy.isscalar(x):
        return numpy.array(x) if dtype is None else numpy.array(x, dtype)
    return x if dtype is None else x.astype(dtype, copy=False)


def force_type(dtype, value):
    if numpy.isscalar(value):
        return dtype.type(value)
    return value if value.dtype == dtype else value.astype(dtype, copy=False)


@contextlib.contextmanager
def tempdir(**kwargs):
    """A temporary folder within a with statement."""
    import shutil
    import tempfile
    ignore_errors = kwargs.pop('ignore_errors', False)
    path = tempfile.mkdtemp(**kwargs)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=ignore_errors)


def _repr_with_named_data(inst, **kwargs):
    return '<{}.{} {}>'.format(inst.__module__, inst.__class__.__name__,
                               ' '.join(['{}={}'.format(k, v) for k, v in kwargs.items()]))


def _check_arrays_forward_compatible(arrays, label=None):
    pass


def size_of_shape(shape):
    size = 1
    for n in shape:
        size *= n
    return int(size)


def __getattr__(name):
    # Rarely used modules are imported at first use.
    if name in ('_collections', 'conv_nd_kernel', 'imgproc', 'walker_alias'):
        import importlib
        return importlib.import_module('chainer.utils.' + name)
    raise AttributeError('module chainer.utils has no attribute {!r}'.format(name))
