# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F
from chainer.links.connection.convolution_2d import _pair


class DepthwiseConvolution2D(link.Link):
    """Two-dimensional convolution of each channel separately."""

    def __init__(self, in_channels, channel_multiplier, ksize, stride=1, pad=0, nobias=False, initialW=None,
                 initial_bias=None):
        super(DepthwiseConvolution2D, self).__init__()
        self.ksize, self.stride, self.pad = ksize, _pair(stride), _pair(pad)
        self.channel_multiplier, self.nobias = channel_multiplier, nobias
        with self.init_scope():
            self.W = variable.Parameter(initializers._get_initializer(initialW))
            if nobias:
                self.b = None
            else:
                self.b = variable.Parameter(initializers._get_initializer(0 if initial_bias is None else initial_bias))
            if in_channels is not None:
                self._initialize_params(in_channels)

    def _initialize_params(self, in_channels):
        self.W.initialize((self.channel_multiplier, in_channels) + _pair(self.ksize))
        if self.b is not None:
            self.b.initialize(self.channel_multiplier * in_channels)

    def forward(self, x):
        if not self.W._has_array:
            self._initialize_params(x.shape[1])
        return F.depthwise_convolution_2d(x, self.W, self.b, self.stride, self.pad)
