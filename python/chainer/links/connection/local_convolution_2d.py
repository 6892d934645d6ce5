# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F
from chainer.links.connection.convolution_2d import _pair
from chainer.utils.conv import get_conv_outsize


class LocalConvolution2D(link.Link):
    """Two-dimensional convolution with different filters at each position."""

    def __init__(self, in_channels, out_channels, in_size=None, ksize=None, stride=1, nobias=False, initialW=None,
                 initial_bias=None, **kwargs):
        super(LocalConvolution2D, self).__init__()
        self.ksize, self.stride = ksize, _pair(stride)
        self.nobias, self.out_channels = nobias, out_channels
        with self.init_scope():
            self.W = variable.Parameter(initializers._get_initializer(initialW))
            if nobias:
                self.b = None
            else:
                self.b = variable.Parameter(initializers._get_initializer(0 if initial_bias is None else initial_bias))
            if in_channels is not None and in_size is not None:
                self._initialize_params(in_channels, _pair(in_size))

    def _initialize_params(self, in_channels, in_size):
        k = _pair(self.ksize)
        out = tuple([get_conv_outsize(n, ki, s, 0) for n, ki, s in zip(in_size, k, self.stride)])
        self.W.initialize((self.out_channels,) + out + (in_channels,) + k)
        if not self.nobias:
            self.b.initialize((self.out_channels,) + out)

    def forward(self, x):
        if not self.W._has_array:
            self._initialize_params(x.shape[1], x.shape[2:])
        return F.local_convolution_2d(x, self.W, self.b, self.stride)
