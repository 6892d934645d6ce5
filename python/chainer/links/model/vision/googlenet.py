# SPDX-License-Identifier: MIT
from chainer import initializers, serializers
from chainer.functions import average_pooling_2d, dropout, local_response_normalization, max_pooling_2d, relu, softmax
from chainer.dataset.convert import concat_examples  # NOQA
from chainer.functions import average, reshape  # NOQA
from chainer.links.connection.convolution_2d import Convolution2D
from chainer.links.connection.inception import Inception
from chainer.links.connection.linear import Linear
from chainer.links.model.vision import _pictures
from chainer.links.model.vision._pictures import available  # NOQA
from chainer.variable import Variable  # NOQA

_INCEPTIONS = (('3a', 192, 64, 96, 128, 16, 32, 32), ('3b', 256, 128, 128, 192, 32, 96, 64),
               ('4a', 480, 192, 96, 208, 16, 48, 64), ('4b', 512, 160, 112, 224, 24, 64, 64),
               ('4c', 512, 128, 128, 256, 24, 64, 64), ('4d', 512, 112, 144, 288, 32, 64, 64),
               ('4e', 528, 256, 160, 320, 32, 128, 128), ('5a', 832, 256, 160, 320, 32, 128, 128),
               ('5b', 832, 384, 192, 384, 48, 128, 128))
_PATHS = (('1x1', 'conv1'), ('3x3_reduce', 'proj3'), ('3x3', 'conv3'), ('5x5_reduce', 'proj5'), ('5x5', 'conv5'),
          ('pool_proj', 'projp'))


def prepare(image, size=(224, 224)):
    """Converts a picture to GoogLeNet's input: an ndarray (height, width), (height, width, 3), (1 or 3, height, width)
    or one of Pillow's."""
    return _pictures.prepare(image, size, [104.0, 117.0, 123.0])


def _pool(x):
    return max_pooling_2d(x, ksize=3, stride=2)


def _normalize(x):
    return local_response_normalization(x, n=5, k=1, alpha=1e-4 / 5)


def _average(x):
    return average_pooling_2d(x, ksize=7, stride=1)


def _side_average(x):
    return average_pooling_2d(x, ksize=5, stride=3)


def _dropout(x):
    return dropout(x, ratio=0.4)


class GoogLeNet(_pictures.PictureNetwork):
    """GoogLeNet. Szegedy et al., arXiv:1409.4842. Its auxiliary outputs are the layers loss1_fc2 and loss2_fc2."""

    _prepare = staticmethod(prepare)

    def __init__(self, pretrained_model='auto'):
        super(GoogLeNet, self).__init__()
        init = initializers.constant.Zero() if pretrained_model else initializers.LeCunUniform(scale=1.0)
        weights = {'initialW': init, 'initial_bias': initializers.constant.Zero()}
        with self.init_scope():
            self.conv1 = Convolution2D(3, 64, 7, stride=2, pad=3, **weights)
            self.conv2_reduce = Convolution2D(64, 64, 1, **weights)
            self.conv2 = Convolution2D(64, 192, 3, stride=1, pad=1, **weights)
            for row in _INCEPTIONS:
                setattr(self, 'inc' + row[0], Inception(*row[1:]))
            self.loss3_fc = Linear(1024, 1000, **weights)
            for side, channels in (('loss1', 512), ('loss2', 528)):
                setattr(self, side + '_conv', Convolution2D(channels, 128, 1, **weights))
                setattr(self, side + '_fc1', Linear(2048, 1024, **weights))
                setattr(self, side + '_fc2', Linear(1024, 1000, **weights))
        self._load(pretrained_model, 'bvlc_googlenet')

    @property
    def functions(self):
        def inceptions(*names):
            return [('inception_' + n, [self['inc' + n]]) for n in names]

        def side(name):
            return name + '_fc2', [_side_average, self[name + '_conv'], relu, self[name + '_fc1'], relu,
                                   self[name + '_fc2']]
        return _pictures.stages(
            ('conv1', [self.conv1, relu]), ('pool1', [_pool, _normalize]), ('conv2_reduce', [self.conv2_reduce, relu]),
            ('conv2', [self.conv2, relu, _normalize]), ('pool2', [_pool]), *inceptions('3a', '3b'),
            ('pool3', [_pool]), *inceptions('4a', '4b', '4c', '4d', '4e'), ('pool4', [_pool]),
            *inceptions('5a', '5b'), ('pool5', [_average]), ('loss3_fc', [_dropout, self.loss3_fc]),
            ('prob', [softmax]), side('loss1'), side('loss2'))

    # The auxiliary outputs branch off two inceptions.
    def _computed(self, key, h):
        if key in ('inception_4a', 'inception_4d'):
            self.__dict__.setdefault('_branches', {})[key] = h

    def _input_of(self, key, h):
        from_ = {'loss1_fc2': 'inception_4a', 'loss2_fc2': 'inception_4d'}.get(key)
        return self._branches.pop(from_) if from_ else h

    def forward(self, x, layers=None, **kwargs):
        try:
            return super(GoogLeNet, self).forward(x, layers, **kwargs)
        finally:
            self.__dict__.pop('_branches', None)

    def _take_weights(self, source):
        _pictures.take(source, 'conv1/7x7_s2', self.conv1)
        _pictures.take(source, 'conv2/3x3_reduce', self.conv2_reduce)
        _pictures.take(source, 'conv2/3x3', self.conv2)
        for row in _INCEPTIONS:
            for theirs, ours in _PATHS:
                _pictures.take(source, 'inception_%s/%s' % (row[0], theirs), self['inc' + row[0]][ours])
        for side in ('loss1', 'loss2'):
            _pictures.take(source, side + '/conv', self[side + '_conv'])
            _pictures.take(source, side + '/fc', self[side + '_fc1'])
            _pictures.take(source, side + '/classifier', self[side + '_fc2'])
        _pictures.take(source, 'loss3/classifier', self.loss3_fc)

    @classmethod
    def convert_caffemodel_to_npz(cls, path_caffemodel, path_npz):
        """Converts the published Caffe model to an NPZ file for the constructor."""
        serializers.save_npz(path_npz, cls(path_caffemodel), compression=False)
