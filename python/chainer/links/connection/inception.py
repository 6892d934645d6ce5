# SPDX-License-Identifier: MIT
from chainer import link
from chainer import functions as F
from chainer.links.connection.convolution_2d import Convolution2D


class Inception(link.Chain):
    """Four parallel paths of convolutions and pooling."""

    def __init__(self, in_channels, out1, proj3, out3, proj5, out5, proj_pool, conv_init=None, bias_init=None):
        super(Inception, self).__init__()
        options = dict(initialW=conv_init, initial_bias=bias_init)
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, out1, 1, **options)
            self.proj3 = Convolution2D(in_channels, proj3, 1, **options)
            self.conv3 = Convolution2D(proj3, out3, 3, pad=1, **options)
            self.proj5 = Convolution2D(in_channels, proj5, 1, **options)
            self.conv5 = Convolution2D(proj5, out5, 5, pad=2, **options)
            self.projp = Convolution2D(in_channels, proj_pool, 1, **options)

    def forward(self, x):
        one = self.conv1(x)  # first, so that uninitialized parameters are drawn in the release's order
        three = self.conv3(F.relu(self.proj3(x)))
        five = self.conv5(F.relu(self.proj5(x)))
        pool = self.projp(F.max_pooling_2d(x, 3, stride=1, pad=1))
        return F.relu(F.concat((one, three, five, pool), axis=1))
