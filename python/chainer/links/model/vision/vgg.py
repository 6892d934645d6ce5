# SPDX-License-Identifier: MIT
from chainer import initializers, serializers
from chainer.functions import dropout, max_pooling_2d, relu, softmax
from chainer.dataset.convert import concat_examples  # NOQA
from chainer.functions import reshape, sum  # NOQA
from chainer.links.connection.convolution_2d import Convolution2D
from chainer.links.connection.linear import Linear
from chainer.links.model.vision import _pictures
from chainer.links.model.vision._pictures import available  # NOQA
from chainer.variable import Variable  # NOQA

_WIDTHS = (64, 128, 256, 512, 512)


def prepare(image, size=(224, 224)):
    """Converts a picture to VGG's input: an ndarray (height, width), (height, width, 3), (1 or 3, height, width) or one
    of Pillow's."""
    return _pictures.prepare(image, size, [103.939, 116.779, 123.68])


def _pool(x):
    return max_pooling_2d(x, ksize=2)


class VGGLayers(_pictures.PictureNetwork):
    """VGG with 16 or 19 layers. Simonyan & Zisserman, arXiv:1409.1556."""

    _prepare, _features = staticmethod(prepare), 'fc7'

    def __init__(self, pretrained_model='auto', n_layers=16):
        super(VGGLayers, self).__init__()
        if n_layers not in (16, 19):
            raise ValueError('The n_layers argument should be either 16 or 19, but {} was given.'.format(n_layers))
        init = initializers.constant.Zero() if pretrained_model else initializers.Normal(scale=0.01)
        weights = {'initialW': init, 'initial_bias': initializers.constant.Zero()}
        self._depths = (2, 2, 3, 3, 3) if n_layers == 16 else (2, 2, 4, 4, 4)
        with self.init_scope():
            before = 3
            for i, (depth, width) in enumerate(zip(self._depths, _WIDTHS), 1):
                for k in range(1, depth + 1):
                    setattr(self, 'conv%d_%d' % (i, k), Convolution2D(before, width, 3, 1, 1, **weights))
                    before = width
            self.fc6 = Linear(512 * 7 * 7, 4096, **weights)
            self.fc7 = Linear(4096, 4096, **weights)
            self.fc8 = Linear(4096, 1000, **weights)
        self._load(pretrained_model, 'VGG_ILSVRC_%d_layers' % n_layers)

    @property
    def functions(self):
        rows = []
        for i, depth in enumerate(self._depths, 1):
            rows += [(name, [self[name], relu]) for name in ['conv%d_%d' % (i, k) for k in range(1, depth + 1)]]
            rows.append(('pool%d' % i, [_pool]))
        return _pictures.stages(*rows, ('fc6', [self.fc6, relu, dropout]), ('fc7', [self.fc7, relu, dropout]),
                                ('fc8', [self.fc8]), ('prob', [softmax]))

    def _take_weights(self, source):
        for child in self.children():
            _pictures.take(source, child.name, child)

    @classmethod
    def convert_caffemodel_to_npz(cls, path_caffemodel, path_npz, n_layers=16):
        """Converts the published Caffe model to an NPZ file for the constructor."""
        serializers.save_npz(path_npz, VGGLayers(path_caffemodel, n_layers), compression=False)


class VGG16Layers(VGGLayers):
    """VGG with 16 layers."""

    def __init__(self, pretrained_model='auto'):
        super(VGG16Layers, self).__init__(pretrained_model, 16)

    @classmethod
    def convert_caffemodel_to_npz(cls, path_caffemodel, path_npz):
        VGGLayers.convert_caffemodel_to_npz(path_caffemodel, path_npz, 16)


class VGG19Layers(VGGLayers):
    """VGG with 19 layers."""

    def __init__(self, pretrained_model='auto'):
        super(VGG19Layers, self).__init__(pretrained_model, 19)

    @classmethod
    def convert_caffemodel_to_npz(cls, path_caffemodel, path_npz):
        VGGLayers.convert_caffemodel_to_npz(path_caffemodel, path_npz, 19)
