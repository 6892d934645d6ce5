# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F
from chainer.utils import conv_nd


class ConvolutionND(link.Link):
    """Convolution over any number of axes."""

    def __init__(self, ndim, in_channels, out_channels, ksize=None, stride=1, pad=0, nobias=False, initialW=None,
                 initial_bias=None, cover_all=False, dilate=1, groups=1):
        super(ConvolutionND, self).__init__()
        if ksize is None:
            out_channels, ksize, in_channels = in_channels, out_channels, None
        self.out_channels, self.ndim, self.groups = out_channels, ndim, int(groups)
        self.ksize = conv_nd.as_tuple(ksize, ndim)
        self.stride, self.pad, self.dilate = stride, pad, conv_nd.as_tuple(dilate, ndim)
        self.cover_all = cover_all
        with self.init_scope():
            self.W = variable.Parameter(initializers._get_initializer(initialW))
            if in_channels is not None:
                self._initialize_params(in_channels)
            if nobias:
                self.b = None
            else:
                self.b = variable.Parameter(
                    initializers._get_initializer(0 if initial_bias is None else initial_bias), out_channels)

    def _initialize_params(self, in_channels):
        if self.out_channels % self.groups != 0 or in_channels % self.groups != 0:
            raise ValueError('{}: the numbers of channels must be divisible by the number of groups, got {}, {} and {}'
                             .format(type(self).__name__, in_channels, self.out_channels, self.groups))
        self.W.initialize((self.out_channels, in_channels // self.groups) + self.ksize)

    def forward(self, x):
        if not self.W._has_array:
            self._initialize_params(x.shape[1])
        return F.convolution_nd(x, self.W, self.b, self.stride, self.pad, cover_all=self.cover_all,
                                dilate=self.dilate, groups=self.groups)


class Convolution1D(ConvolutionND):
    """Convolution over one axis."""

    def __init__(self, in_channels, out_channels, ksize, stride=1, pad=0, nobias=False, initialW=None,
                 initial_bias=None, cover_all=False, dilate=1, groups=1):
        super(Convolution1D, self).__init__(1, in_channels, out_channels, ksize, stride, pad, nobias, initialW,
                                            initial_bias, cover_all, dilate, groups)


class Convolution3D(ConvolutionND):
    """Convolution over three axes."""

    def __init__(self, in_channels, out_channels, ksize, stride=1, pad=0, nobias=False, initialW=None,
                 initial_bias=None, cover_all=False, dilate=1, groups=1):
        super(Convolution3D, self).__init__(3, in_channels, out_channels, ksize, stride, pad, nobias, initialW,
                                            initial_bias, cover_all, dilate, groups)
