# SPDX-License-Identifier: MIT
from chainer import initializers, link, variable
from chainer import functions as F
from chainer.utils import argument


def _pair(x):
    return tuple(x) if hasattr(x, '__getitem__') else (x, x)


class Convolution2D(link.Link):
    """Two-dimensional convolution. With in_channels None the first input determines it."""

    def __init__(self, in_channels, out_channels, ksize=None, stride=1, pad=0, nobias=False, initialW=None,
                 initial_bias=None, *, dilate=1, groups=1, **kwargs):
        super(Convolution2D, self).__init__()
        argument.parse_kwargs(
            kwargs, deterministic='deterministic argument is not supported anymore. Use chainer.using_config('
            '\'cudnn_deterministic\', value) context where value is either `True` or `False`.')
        if ksize is None:
            out_channels, ksize, in_channels = in_channels, out_channels, None
        self.ksize, self.stride, self.pad, self.dilate = ksize, _pair(stride), _pair(pad), _pair(dilate)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, int(groups)
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
        if self.out_channels % self.groups != 0:
            raise ValueError('{}: the number of output channels must be divisible by the number of groups, got {} and '
                             '{}'.format(type(self).__name__, self.out_channels, self.groups))
        if in_channels % self.groups != 0:
            raise ValueError('{}: the number of input channels must be divisible by the number of groups, got {} and '
                             '{}'.format(type(self).__name__, in_channels, self.groups))
        self.W.initialize((self.out_channels, in_channels // self.groups) + _pair(self.ksize))

    def forward(self, x):
        if not self.W._has_array:
            self._initialize_params(x.shape[1])
        return F.convolution_2d(x, self.W, self.b, self.stride, self.pad, dilate=self.dilate, groups=self.groups)
