# SPDX-License-Identifier: MIT
from chainer import initializers, link, serializers
from chainer.functions import average_pooling_2d, max_pooling_2d, relu, reshape, softmax
from chainer.dataset.convert import concat_examples  # NOQA
from chainer.functions import sum  # NOQA
from chainer.links.connection.convolution_2d import Convolution2D
from chainer.links.connection.linear import Linear
from chainer.links.model.vision import _pictures
from chainer.links.model.vision._pictures import available  # NOQA
from chainer.links.normalization.batch_normalization import BatchNormalization
from chainer.variable import Variable  # NOQA

_DEPTHS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


def prepare(image, size=(224, 224)):
    """Converts a picture to ResNet's input: an ndarray (height, width), (height, width, 3), (1 or 3, height, width) or
    one of Pillow's."""
    # The mean colour is that of the published network.
    return _pictures.prepare(image, size, [103.063, 115.903, 123.152])


def _pool(x):
    return max_pooling_2d(x, ksize=3, stride=2)


def _global_average_pooling_2d(x):
    n, channels, rows, columns = x.shape
    return reshape(average_pooling_2d(x, (rows, columns), stride=1), (n, channels))


class BottleneckA(link.Chain):
    """A residual block that changes the number of channels and the size."""

    def __init__(self, in_channels, mid_channels, out_channels, stride=2, initialW=None, downsample_fb=False):
        super(BottleneckA, self).__init__()
        first, second = (1, stride) if downsample_fb else (stride, 1)
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, mid_channels, 1, first, 0, initialW=initialW, nobias=True)
            self.bn1 = BatchNormalization(mid_channels)
            self.conv2 = Convolution2D(mid_channels, mid_channels, 3, second, 1, initialW=initialW, nobias=True)
            self.bn2 = BatchNormalization(mid_channels)
            self.conv3 = Convolution2D(mid_channels, out_channels, 1, 1, 0, initialW=initialW, nobias=True)
            self.bn3 = BatchNormalization(out_channels)
            self.conv4 = Convolution2D(in_channels, out_channels, 1, stride, 0, initialW=initialW, nobias=True)
            self.bn4 = BatchNormalization(out_channels)

    def forward(self, x):
        h = relu(self.bn1(self.conv1(x)))
        h = relu(self.bn2(self.conv2(h)))
        return relu(self.bn3(self.conv3(h)) + self.bn4(self.conv4(x)))


class BottleneckB(link.Chain):
    """A residual block with an identity shortcut."""

    def __init__(self, in_channels, mid_channels, initialW=None):
        super(BottleneckB, self).__init__()
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, mid_channels, 1, 1, 0, initialW=initialW, nobias=True)
            self.bn1 = BatchNormalization(mid_channels)
            self.conv2 = Convolution2D(mid_channels, mid_channels, 3, 1, 1, initialW=initialW, nobias=True)
            self.bn2 = BatchNormalization(mid_channels)
            self.conv3 = Convolution2D(mid_channels, in_channels, 1, 1, 0, initialW=initialW, nobias=True)
            self.bn3 = BatchNormalization(in_channels)

    def forward(self, x):
        h = relu(self.bn1(self.conv1(x)))
        h = relu(self.bn2(self.conv2(h)))
        return relu(self.bn3(self.conv3(h)) + x)


class BuildingBlock(link.Chain):
    """A sequence of residual blocks."""

    def __init__(self, n_layer, in_channels, mid_channels, out_channels, stride, initialW=None, downsample_fb=False):
        super(BuildingBlock, self).__init__()
        with self.init_scope():
            self.a = BottleneckA(in_channels, mid_channels, out_channels, stride, initialW, downsample_fb)
            self._forward = ['a']
            for i in range(1, n_layer):
                setattr(self, 'b%d' % i, BottleneckB(out_channels, mid_channels, initialW))
                self._forward.append('b%d' % i)

    def forward(self, x):
        for name in self._forward:
            x = self[name](x)
        return x


class ResNetLayers(_pictures.PictureNetwork):
    """A residual network of 50, 101 or 152 layers. He et al., arXiv:1512.03385."""

    _prepare = staticmethod(prepare)

    def __init__(self, pretrained_model, n_layers, downsample_fb=False):
        super(ResNetLayers, self).__init__()
        if n_layers not in _DEPTHS:
            raise ValueError('The n_layers argument should be either 50, 101, or 152, but {} was given.'.format(
                n_layers))
        init = initializers.constant.Zero() if pretrained_model else initializers.HeNormal(scale=1.0)
        conv, depths = {'initialW': init, 'downsample_fb': downsample_fb}, _DEPTHS[n_layers]
        with self.init_scope():
            self.conv1 = Convolution2D(3, 64, 7, 2, 3, initialW=init)
            self.bn1 = BatchNormalization(64)
            self.res2 = BuildingBlock(depths[0], 64, 64, 256, 1, **conv)
            self.res3 = BuildingBlock(depths[1], 256, 128, 512, 2, **conv)
            self.res4 = BuildingBlock(depths[2], 512, 256, 1024, 2, **conv)
            self.res5 = BuildingBlock(depths[3], 1024, 512, 2048, 2, **conv)
            self.fc6 = Linear(2048, 1000)
        self._load(pretrained_model, 'ResNet-%d-model' % n_layers)

    @property
    def functions(self):
        return _pictures.stages(
            ('conv1', [self.conv1, self.bn1, relu]), ('pool1', [_pool]), ('res2', [self.res2]), ('res3', [self.res3]),
            ('res4', [self.res4]), ('res5', [self.res5]), ('pool5', [_global_average_pooling_2d]),
            ('fc6', [self.fc6]), ('prob', [softmax]))

    def _take_weights(self, source):
        def branch(name, which, block, number):
            _pictures.take(source, 'res%s_branch%s' % (name, which), block['conv%d' % number])
            _take_normalization(source, '%s_branch%s' % (name, which), block['bn%d' % number])
        _pictures.take(source, 'conv1', self.conv1)
        _take_normalization(source, '_conv1', self.bn1)
        deep = len(self.res4._forward) > 6
        for stage in '2345':
            building = self['res' + stage]
            for i, place in enumerate(building._forward):
                # 2a, 2b, 2c, ...; of the deepest stages 3a, 3b1, 3b2, ...
                name = stage + (place if deep and stage in '34' else 'abcdef'[i])
                for number, which in enumerate(('2a', '2b', '2c') + (('1',) if i == 0 else ()), 1):
                    branch(name, which, building[place], number)
        _pictures.take(source, 'fc1000', self.fc6)

    @classmethod
    def convert_caffemodel_to_npz(cls, path_caffemodel, path_npz, n_layers=50):
        """Converts the published Caffe model to an NPZ file for the constructor."""
        serializers.save_npz(path_npz, ResNetLayers(path_caffemodel, n_layers), compression=False)


def _take_normalization(source, name, to):
    """Converts Caffe's normalization and the scaling after it to one link."""
    bn, scale = source['bn' + name], source['scale' + name]
    to.avg_mean[...], to.avg_var[...] = bn.avg_mean, bn.avg_var
    to.gamma.array[...], to.beta.array[...] = scale.W.array, scale.bias.b.array


class ResNet50Layers(ResNetLayers):
    """A residual network of 50 layers."""

    def __init__(self, pretrained_model='auto', downsample_fb=False):
        super(ResNet50Layers, self).__init__(pretrained_model, 50, downsample_fb)


class ResNet101Layers(ResNetLayers):
    """A residual network of 101 layers."""

    def __init__(self, pretrained_model='auto', downsample_fb=False):
        super(ResNet101Layers, self).__init__(pretrained_model, 101, downsample_fb)


class ResNet152Layers(ResNetLayers):
    """A residual network of 152 layers."""

    def __init__(self, pretrained_model='auto', downsample_fb=False):
        super(ResNet152Layers, self).__init__(pretrained_model, 152, downsample_fb)
