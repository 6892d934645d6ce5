# SPDX-License-Identifier: MIT
from chainer import link
from chainer.functions import relu
from chainer.links.connection import convolution_2d


class MLPConvolution2D(link.ChainList):
    """A convolution followed by 1x1 convolutions with activations."""

    def __init__(self, in_channels, out_channels, ksize=None, stride=1, pad=0, activation=relu, conv_init=None,
                 bias_init=None):
        if ksize is None:
            out_channels, ksize, in_channels = in_channels, out_channels, None
        first = convolution_2d.Convolution2D(in_channels, out_channels[0], ksize, stride, pad, initialW=conv_init,
                                             initial_bias=bias_init)
        rest = [convolution_2d.Convolution2D(n_in, n_out, 1, initialW=conv_init, initial_bias=bias_init)
                for n_in, n_out in zip(out_channels, out_channels[1:])]
        super(MLPConvolution2D, self).__init__(first, *rest)
        self.activation = activation

    def forward(self, x):
        for layer in self[:-1]:
            x = self.activation(layer(x))
        return self[-1](x)
