# SPDX-License-Identifier: MIT
from chainer import functions as F
from chainer.links.connection import convolution_2d


class DilatedConvolution2D(convolution_2d.Convolution2D):
    """Two-dimensional convolution with dilated filters."""

    def __init__(self, in_channels, out_channels, ksize=None, stride=1, pad=0, dilate=1, nobias=False, initialW=None,
                 initial_bias=None):
        super(DilatedConvolution2D, self).__init__(in_channels, out_channels, ksize, stride, pad, nobias, initialW,
                                                   initial_bias, dilate=dilate)

    def forward(self, x):
        if not self.W._has_array:
            self._initialize_params(x.shape[1])
        return F.dilated_convolution_2d(x, self.W, self.b, self.stride, self.pad, self.dilate)
