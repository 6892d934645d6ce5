# SPDX-License-Identifier: MIT
"""Common parts of the networks for pictures: named layers, files of weights, crops."""
import collections
import importlib.util
import os

import numpy

from chainer import configuration, link, serializers
from chainer import functions as F
from chainer.backends import cuda
from chainer.dataset import convert, download
from chainer.utils import argument
from chainer.variable import Variable

available = importlib.util.find_spec('PIL') is not None  # prepare() requires Pillow
_OLD = {'test': 'test argument is not supported anymore. Use chainer.using_config',
        'volatile': 'volatile argument is not supported anymore. Use chainer.using_config'}


def prepare(image, size, mean):
    """Converts a picture to a network's input (3, height, width): resized, BGR, minus the mean colour."""
    try:
        from PIL import Image
    except ImportError as e:
        raise ImportError('PIL cannot be loaded. Install Pillow!\nThe actual import error is as follows:\n' + str(e))
    if isinstance(image, numpy.ndarray):
        if image.ndim == 3:
            if image.shape[0] == 1:
                image = image[0]
            elif image.shape[0] == 3:
                image = image.transpose((1, 2, 0))
        image = Image.fromarray(image.astype(numpy.uint8))
    image = image.convert('RGB')
    if size:
        image = image.resize(size)
    image = numpy.asarray(image, dtype=configuration.get_dtype())[:, :, ::-1]
    return (image - numpy.array(mean, dtype=image.dtype)).transpose((2, 0, 1))


class PictureNetwork(link.Chain):
    """A network with named layers; `functions` maps names to lists of functions."""

    _prepare = None  # of the module
    _features = 'pool5'

    @property
    def functions(self):
        raise NotImplementedError

    @property
    def available_layers(self):
        return list(self.functions.keys())

    def forward(self, x, layers=None, **kwargs):
        """Returns the results of the named layers (by default 'prob') as a dict; later layers are not computed."""
        if kwargs:
            argument.check_unexpected_kwargs(kwargs, **_OLD)
            argument.assert_kwargs_empty(kwargs)
        wanted = set(['prob'] if layers is None else layers)
        results, h = {}, x
        for key, functions in self.functions.items():
            if not wanted:
                break
            h = self._input_of(key, h)
            for function in functions:
                h = function(h)
            self._computed(key, h)
            if key in wanted:
                results[key] = h
                wanted.remove(key)
        return results

    def _input_of(self, key, h):
        return h

    def _computed(self, key, h):
        pass

    def _moved(self, x):
        return x if self._cpu else cuda.to_gpu(x, self._device_id)

    def extract(self, images, layers=None, size=(224, 224), **kwargs):
        """Returns features of pictures, in the configured mode."""
        if kwargs:
            argument.check_unexpected_kwargs(kwargs, **_OLD)
            argument.assert_kwargs_empty(kwargs)
        x = convert.concat_examples([type(self)._prepare(image, size=size) for image in images])
        return self(Variable(self._moved(x)), layers=[self._features] if layers is None else layers)

    def predict(self, images, oversample=True):
        """Returns class probabilities in test mode: the mean over ten crops, or those of the center crop."""
        x = convert.concat_examples([type(self)._prepare(image, size=(256, 256)) for image in images])
        n = 10 if oversample else 1
        if oversample:
            ends = [(0, 0), (0, 32), (32, 0), (32, 32), (16, 16)]
            crops = [x[:, :, top:top + 224, left:left + 224] for top, left in ends]
            x = numpy.stack(crops + [c[:, :, :, ::-1] for c in crops], axis=1).reshape((-1,) + crops[0].shape[1:])
        else:
            x = x[:, :, 16:240, 16:240]
        with configuration.using_config('train', False), configuration.using_config('enable_backprop', False):
            y = self(Variable(self._moved(numpy.ascontiguousarray(x))))['prob']
            return F.sum(F.reshape(y, (-1, n) + y.shape[1:]), axis=1) / n

    def _load(self, pretrained_model, name):
        """Loads weights: 'auto' for the release's file in the cache, a path, or None."""
        if not pretrained_model:
            return
        if pretrained_model == 'auto':
            folder = download.get_dataset_directory('pfnet/chainer/models')
            path = os.path.join(folder, name + '.npz')
            if not os.path.exists(path):
                caffe = os.path.join(folder, name + '.caffemodel')
                if not os.path.exists(caffe):
                    raise IOError('The pre-trained weights do not exist. Place {}.npz, as the release keeps it, or '
                                  '{}.caffemodel, as it is published, into {}'.format(name, name, folder))
                self._take_caffe(caffe)
                serializers.save_npz(path, self, compression=False)
                return
            pretrained_model = path
        if pretrained_model.endswith('.caffemodel'):
            self._take_caffe(pretrained_model)
        else:
            serializers.load_npz(pretrained_model, self)

    def _take_caffe(self, path):
        from chainer.links.caffe import CaffeFunction
        self._take_weights(CaffeFunction(path))


def take(source, name, to):
    """Returns the weights of the Caffe layer with this name."""
    layer = source[name]
    to.W.array[...] = layer.W.array.reshape(to.W.shape)
    if to.b is not None and layer.b is not None:
        to.b.array[...] = layer.b.array.reshape(to.b.shape)


def stages(*rows):
    return collections.OrderedDict(rows)
