# SPDX-License-Identifier: MIT
"""Windows of arrays with any number of spatial axes."""
import itertools

from chainer.utils import conv
from chainer.utils.conv import get_conv_outsize


def as_tuple(x, n):
    if hasattr(x, '__getitem__'):
        assert len(x) == n, '%d numbers are needed, not %s' % (n, x)
        return tuple(x)
    return (x,) * n


def im2col_nd_cpu(img, ksize, stride, pad, pval=0, cover_all=False, dilate=1):
    n = len(ksize)
    assert n == len(stride) == len(pad) == img.ndim - 2, 'one window, stride and pad for each spatial axis'
    dilate = as_tuple(dilate, n)
    outs = tuple([get_conv_outsize(d, k, s, p, cover_all, di)
                  for d, k, s, p, di in zip(img.shape[2:], ksize, stride, pad, dilate)])
    xp = conv._module(img)
    img = xp.pad(img, ((0, 0), (0, 0)) + tuple([(p, p + s - 1) for p, s in zip(pad, stride)]), mode='constant',
                 constant_values=(pval,))
    col = xp.empty(img.shape[:2] + tuple(ksize) + outs, dtype=img.dtype)
    for at in itertools.product(*[range(k) for k in ksize]):
        window = tuple([slice(i * d, i * d + s * o, s) for i, d, s, o in zip(at, dilate, stride, outs)])
        col[(slice(None), slice(None)) + at] = img[(slice(None), slice(None)) + window]
    return col


def col2im_nd_cpu(col, stride, pad, dims, dilate=1):
    n = len(dims)
    assert n == len(stride) == len(pad) and col.ndim == 2 + 2 * n, 'one stride and pad for each spatial axis'
    dilate = as_tuple(dilate, n)
    ksize, outs = col.shape[2:2 + n], col.shape[2 + n:]
    padded = tuple([d + 2 * p + s - 1 for d, p, s in zip(dims, pad, stride)])
    img = conv._module(col).zeros(col.shape[:2] + padded, col.dtype)
    for at in itertools.product(*[range(k) for k in ksize]):
        window = tuple([slice(i * d, i * d + s * o, s) for i, d, s, o in zip(at, dilate, stride, outs)])
        img[(slice(None), slice(None)) + window] += col[(slice(None), slice(None)) + at]
    return img[(slice(None), slice(None)) + tuple([slice(p, d + p) for p, d in zip(pad, dims)])]


def im2col_nd_gpu(img, ksize, stride, pad, cover_all=False, dilate=1):
    """im2col_nd() on a GPU."""
    conv._check_gpu()
    return im2col_nd_cpu(img, ksize, stride, pad, 0, cover_all, dilate)


def im2col_nd(img, ksize, stride, pad, cover_all=False, dilate=1):
    """Returns the windows of arrays: (n, c, *ksize, *outs)."""
    return im2col_nd_cpu(img, ksize, stride, pad, 0, cover_all, dilate)


def col2im_nd_gpu(col, stride, pad, dims, dilate=1):
    """col2im_nd() on a GPU."""
    conv._check_gpu()
    return col2im_nd_cpu(col, stride, pad, dims, dilate)


def col2im_nd(col, stride, pad, dims, dilate=1):
    """Sums windows into arrays (n, c, *dims)."""
    return col2im_nd_cpu(col, stride, pad, dims, dilate)
