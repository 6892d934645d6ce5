# SPDX-License-Identifier: MIT
from chainer import functions as F
from chainer import link
from chainer.links.connection.convolution_2d import Convolution2D
from chainer.links.normalization.batch_normalization import BatchNormalization


class InceptionBN(link.Chain):
    """Parallel paths of convolutions and pooling, each convolution with batch normalization."""

    def __init__(self, in_channels, out1, proj3, out3, proj33, out33, pooltype, proj_pool=None, stride=1,
                 conv_init=None, dtype=None):
        super(InceptionBN, self).__init__()
        self.out1, self.proj_pool, self.stride, self.pooltype = out1, proj_pool, stride, pooltype
        if pooltype not in ('max', 'avg'):
            raise NotImplementedError('pooltype is \'max\' or \'avg\', not {!r}'.format(pooltype))
        if out1 > 0:
            assert stride == 1
            assert proj_pool is not None

        def convolution(inside, outside, ksize, step=1):
            return Convolution2D(inside, outside, ksize, step, ksize // 2, initialW=conv_init, nobias=True)

        with self.init_scope():
            self.proj3 = convolution(in_channels, proj3, 1)
            self.conv3 = convolution(proj3, out3, 3, stride)
            self.proj33 = convolution(in_channels, proj33, 1)
            self.conv33a = convolution(proj33, out33, 3)
            self.conv33b = convolution(out33, out33, 3, stride)
            self.proj3n = BatchNormalization(proj3, dtype=dtype)
            self.conv3n = BatchNormalization(out3, dtype=dtype)
            self.proj33n = BatchNormalization(proj33, dtype=dtype)
            self.conv33an = BatchNormalization(out33, dtype=dtype)
            self.conv33bn = BatchNormalization(out33, dtype=dtype)
            if out1 > 0:
                self.conv1 = convolution(in_channels, out1, 1)
                self.conv1n = BatchNormalization(out1, dtype=dtype)
            if proj_pool is not None:
                self.poolp = convolution(in_channels, proj_pool, 1)
                self.poolpn = BatchNormalization(proj_pool, dtype=dtype)

    def forward(self, x):
        outs = []
        if self.out1 > 0:
            outs.append(F.relu(self.conv1n(self.conv1(x))))
        outs.append(F.relu(self.conv3n(self.conv3(F.relu(self.proj3n(self.proj3(x)))))))
        h = F.relu(self.conv33an(self.conv33a(F.relu(self.proj33n(self.proj33(x))))))
        outs.append(F.relu(self.conv33bn(self.conv33b(h))))
        if self.pooltype == 'max':
            pool = F.max_pooling_2d(x, 3, stride=self.stride, pad=1, cover_all=False)
        else:
            pool = F.average_pooling_2d(x, 3, stride=self.stride, pad=1)
        if self.proj_pool is not None:
            pool = F.relu(self.poolpn(self.poolp(pool)))
        outs.append(pool)
        return F.concat(outs, axis=1)
