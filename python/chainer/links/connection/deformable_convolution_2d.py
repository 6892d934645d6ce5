# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F
from chainer.functions import deformable_convolution_2d_sampler  # NOQA
from chainer.links.connection import convolution_2d
from chainer.links.connection.convolution_2d import Convolution2D  # NOQA


class DeformableConvolution2D(link.Chain):
    """Convolution at positions shifted by the offsets of another convolution."""

    def __init__(self, in_channels, out_channels, ksize, stride=1, pad=0, offset_nobias=False, offset_initialW=None,
                 offset_initial_bias=None, deform_nobias=False, deform_initialW=None, deform_initial_bias=None):
        super(DeformableConvolution2D, self).__init__()
        kh, kw = convolution_2d._pair(ksize)
        with self.init_scope():
            self.offset_conv = convolution_2d.Convolution2D(
                in_channels, 2 * kh * kw, ksize, stride, pad, offset_nobias, offset_initialW, offset_initial_bias)
            self.deform_conv = DeformableConvolution2DSampler(
                in_channels, out_channels, ksize, stride, pad, deform_nobias, deform_initialW, deform_initial_bias)

    def forward(self, x):
        return self.deform_conv(x, self.offset_conv(x))


class DeformableConvolution2DSampler(link.Link):
    """The convolution at shifted positions."""

    def __init__(self, in_channels, out_channels, ksize, stride=1, pad=0, nobias=False, initialW=None,
                 initial_bias=None):
        super(DeformableConvolution2DSampler, self).__init__()
        self.ksize = convolution_2d._pair(ksize)
        self.stride, self.pad = convolution_2d._pair(stride), convolution_2d._pair(pad)
        self.out_channels = out_channels
        self.initialW = 0 if initialW is None else initialW
        with self.init_scope():
            self.W = variable.Parameter(initializers._get_initializer(self.initialW))
            if nobias:
                self.b = None
            else:
                self.b = variable.Parameter(
                    initializers._get_initializer(0 if initial_bias is None else initial_bias))
        if in_channels is not None:
            self._initialize_params(in_channels)

    def _initialize_params(self, in_channels):
        self.W.initialize((self.out_channels, in_channels) + self.ksize)
        if self.b is not None:
            self.b.initialize(self.out_channels)

    def forward(self, x, offset):
        if not self.W._has_array:
            self._initialize_params(x.shape[1])
        return F.deformable_convolution_2d_sampler(x, offset, self.W, self.b, self.stride, self.pad)
