# SPDX-License-Identifier: MIT
"""Sizes of convolutions."""


def get_conv_outsize(size, k, s, p, cover_all=False, d=1):
    """Returns the length of a convolution's output along an axis."""
    dk = k + (k - 1) * (d - 1)
    if cover_all:
        return (size + p * 2 - dk + s - 1) // s + 1
    return (size + p * 2 - dk) // s + 1


def get_deconv_outsize(size, k, s, p, cover_all=False, d=1):
    """Returns the length of a deconvolution's output along an axis."""
    dk = k + (k - 1) * (d - 1)
    if cover_all:
        return s * (size - 1) + dk - s + 1 - 2 * p
    return s * (size - 1) + dk - 2 * p


def _module(array):
    from chainer.backends import cuda
    return cuda.get_array_module(array)


def _check_gpu():
    from chainer.backends import cuda
    cuda.check_cuda_available()


def im2col_cpu(img, kh, kw, sy, sx, ph, pw, pval=0, cover_all=False, dy=1, dx=1, out_h=None, out_w=None):
    """Returns the windows of images: (n, c, kh, kw, out_h, out_w)."""
    xp = _module(img)
    n, c, h, w = img.shape
    if out_h is None:
        out_h = get_conv_outsize(h, kh, sy, ph, cover_all, dy)
    if out_w is None:
        out_w = get_conv_outsize(w, kw, sx, pw, cover_all, dx)
    img = xp.pad(img, ((0, 0), (0, 0), (ph, ph + sy - 1), (pw, pw + sx - 1)), mode='constant',
                 constant_values=(pval,))
    col = xp.empty((n, c, kh, kw, out_h, out_w), dtype=img.dtype)
    for j in range(kh):
        for i in range(kw):
            col[:, :, j, i] = img[:, :, j * dy:j * dy + sy * out_h:sy, i * dx:i * dx + sx * out_w:sx]
    return col


def col2im_cpu(col, sy, sx, ph, pw, h, w, dy=1, dx=1):
    """Sums windows into images (n, c, h, w)."""
    n, c, kh, kw, out_h, out_w = col.shape
    img = _module(col).zeros((n, c, h + 2 * ph + sy - 1, w + 2 * pw + sx - 1), dtype=col.dtype)
    for j in range(kh):
        for i in range(kw):
            img[:, :, j * dy:j * dy + sy * out_h:sy, i * dx:i * dx + sx * out_w:sx] += col[:, :, j, i]
    return img[:, :, ph:h + ph, pw:w + pw]


def im2col_gpu(img, kh, kw, sy, sx, ph, pw, cover_all=False, dy=1, dx=1, out_h=None, out_w=None):
    """im2col() on a GPU."""
    _check_gpu()
    return im2col_cpu(img, kh, kw, sy, sx, ph, pw, 0, cover_all, dy, dx, out_h, out_w)


def im2col(img, kh, kw, sy, sx, ph, pw, cover_all=False, dy=1, dx=1, out_h=None, out_w=None):
    """Returns the windows of images: (n, c, kh, kw, out_h, out_w)."""
    return im2col_cpu(img, kh, kw, sy, sx, ph, pw, 0, cover_all, dy, dx, out_h, out_w)


def col2im_gpu(col, sy, sx, ph, pw, h, w, dy=1, dx=1):
    """col2im() on a GPU."""
    _check_gpu()
    return col2im_cpu(col, sy, sx, ph, pw, h, w, dy, dx)


def col2im(col, sy, sx, ph, pw, h, w, dy=1, dx=1):
    """Sums windows into images (n, c, h, w)."""
    return col2im_cpu(col, sy, sx, ph, pw, h, w, dy, dx)
