# SPDX-License-Identifier: MIT
"""Networks trained by Caffe."""
import functools
import warnings

from chainer import _core
from chainer import configuration
from chainer import functions
from chainer import initializer
from chainer import link
from chainer.links.connection import convolution_2d, deconvolution_2d, linear, scale
from chainer.links.normalization import batch_normalization
from chainer.utils import argument

_SETUPS = {}
available = True


def _layer(typ, oldname):
    """Registers a method that makes the function of a type of layers."""
    def add(method):
        _SETUPS[typ] = method.__name__
        if oldname is not None:
            _SETUPS[oldname] = method.__name__
        return method
    return add


class CaffeFunction(link.Chain):
    """Emulates a network of Caffe, from a binary model file (.caffemodel) in its newer or older form.

    Layers with weights are children under the layers' names. Layers of unknown types are skipped with a warning; layers
    that load data, layers without results and, in a call, layers whose inputs are missing are skipped silently.
    Unsupported options of a known type are a RuntimeError. After a call, `variables` has the blobs."""

    def __init__(self, model_path):
        super(CaffeFunction, self).__init__()
        self.forwards, self.split_map, self.layers = {}, {}, []
        for layer in _core.caffe.read_net(str(model_path))[1]:
            setup = _SETUPS.get(layer['type'])
            if setup is not None:
                if layer['unsupported']:
                    raise RuntimeError('layer {!r} ({}): {}'.format(layer['name'], layer['type'], layer['unsupported']))
                getattr(self, setup)(layer)
            elif layer['tops']:
                warnings.warn('CaffeFunction: layer {!r} of type {!r} is left out'.format(layer['name'], layer['type']))

    def forward(self, inputs, outputs, disable=(), **kwargs):
        """Returns a tuple of the blobs named `outputs`, computed from blobs by name without the layers of `disable`."""
        if kwargs:
            argument.check_unexpected_kwargs(
                kwargs, train='train argument is not supported anymore. Use chainer.using_config')
            argument.assert_kwargs_empty(kwargs)
        variables = dict(inputs)
        disable = set(disable)
        for name, bottoms, tops in self.layers:
            if name in disable or name not in self.forwards or any([blob not in variables for blob in bottoms]):
                continue
            results = self.forwards[name](*[variables[blob] for blob in bottoms])
            results = results if isinstance(results, (tuple, list)) else (results,)
            variables.update(zip(tops, results))
        self.variables = variables
        return tuple([variables[self.split_map.get(blob, blob)] for blob in outputs])

    def _add_layer(self, layer):
        bottoms = [self.split_map.get(blob, blob) for blob in layer['bottoms']]
        self.layers.append((layer['name'], bottoms, list(layer['tops'])))

    def _set(self, layer, function):
        self.forwards[layer['name']] = function
        self._add_layer(layer)

    def _set_child(self, layer, child, function=None):
        with self.init_scope():
            setattr(self, layer['name'], child)
        self._set(layer, function or _CallChildLink(self, layer['name']))

    @_layer('Concat', 'V1:3')
    def _setup_concat(self, layer):
        self._set(layer, _ListArgumentFcuntion(functions.concat, axis=layer['axis']))

    @_layer('Convolution', 'V1:4')
    def _setup_convolution(self, layer):
        _expect_axis(layer, 1, -3)
        num, channels = _get_num(layer['blobs'][0]), _get_channels(layer['blobs'][0])
        bias = layer['bias_term']
        self._set_child(layer, convolution_2d.Convolution2D(
            channels * layer['group'], num, _get_ksize(layer), _get_stride(layer), _get_pad(layer), nobias=not bias,
            initialW=_ConvolutionBlob(layer['blobs'][0], layer['group']),
            initial_bias=_Blob(layer['blobs'][1]) if bias else None, dilate=_one(layer['dilation'])))

    @_layer('Deconvolution', 'V1:39')
    def _setup_deconvolution(self, layer):
        _expect_axis(layer, 1, -3)
        num, channels = _get_num(layer['blobs'][0]), _get_channels(layer['blobs'][0])
        bias = layer['bias_term']
        self._set_child(layer, deconvolution_2d.Deconvolution2D(
            num, channels * layer['group'], _get_ksize(layer), _get_stride(layer), _get_pad(layer), nobias=not bias,
            initialW=_ConvolutionBlob(layer['blobs'][0], layer['group']),
            initial_bias=_Blob(layer['blobs'][1]) if bias else None))

    @_layer('Data', 'V1:5')
    def _setup_data(self, layer):
        pass

    for _type in ('DummyData', 'HDF5Data', 'ImageData', 'Input', 'MemoryData', 'WindowData'):
        _setup_data = _layer(_type, None)(_setup_data)
    del _type

    @_layer('Dropout', 'V1:6')
    def _setup_dropout(self, layer):
        self._set(layer, _SingleArgumentFunction(functions.dropout, ratio=layer['dropout_ratio']))

    @_layer('InnerProduct', 'V1:14')
    def _setup_inner_product(self, layer):
        _expect_axis(layer, 1)
        blob, bias = layer['blobs'][0], layer['bias_term']
        width, height = _get_width(blob), _get_height(blob)
        if layer['transpose']:
            blob = blob[0].reshape(height, width).T, blob[1]
            width, height = height, width
        self._set_child(layer, linear.Linear(
            width, height, nobias=not bias, initialW=_Blob(blob),
            initial_bias=_Blob(layer['blobs'][1]) if bias else None))

    @_layer('LRN', 'V1:15')
    def _setup_lrn(self, layer):
        if layer['within_channel']:
            raise RuntimeError('LRN: normalization within channels is not supported')
        self._set(layer, _SingleArgumentFunction(
            functions.local_response_normalization, n=layer['local_size'], k=layer['k'],
            alpha=layer['alpha'] / layer['local_size'], beta=layer['beta']))

    @_layer('Pooling', 'V1:17')
    def _setup_pooling(self, layer):
        if layer['pool'] not in (0, 1):
            raise RuntimeError('Pooling: stochastic pooling is not supported')
        function = functions.max_pooling_2d if layer['pool'] == 0 else functions.average_pooling_2d
        stride, pad = _get_stride(layer), _get_pad(layer)
        if layer['round_down'] and layer['pool'] == 0:
            function = functools.partial(function, cover_all=False)
        if layer['global_pooling'] and layer['kernel'] == (0, 0):
            def whole(x, stride=stride, pad=pad):
                return function(x, x.shape[2:], stride=stride, pad=pad)
            self._set(layer, _SingleArgumentFunction(whole))
        else:
            self._set(layer, _SingleArgumentFunction(function, _get_ksize(layer), stride=stride, pad=pad))

    @_layer('ReLU', 'V1:18')
    def _setup_relu(self, layer):
        slope = layer['negative_slope']
        if slope == 0:
            self._set(layer, _SingleArgumentFunction(functions.relu))
        else:
            self._set(layer, _SingleArgumentFunction(functions.leaky_relu, slope=slope))

    @_layer('Reshape', None)
    def _setup_reshape(self, layer):
        shape, first, count = list(layer['shape']), layer['first_axis'], layer['num_axes']
        if first == 0 and count == -1:
            self._set(layer, _SingleArgumentFunction(functions.reshape, shape=shape))
        else:
            self._set(layer, _SingleArgumentFunction(_reshape_axes, shape, first, count))

    @_layer('BatchNorm', None)
    def _setup_batchnorm(self, layer):
        mean, var = [_Blob(blob).data for blob in layer['blobs'][:2]]
        child = batch_normalization.BatchNormalization(
            mean.size, decay=layer['moving_average_fraction'], eps=layer['eps'], use_gamma=False, use_beta=False)
        factor = 1
        if len(layer['blobs']) >= 3:
            divisor = float(_Blob(layer['blobs'][2]).data[0])
            factor = 1 / divisor if divisor else 0
        child.avg_mean[:] = mean * factor
        child.avg_var[:] = var * factor
        with self.init_scope():
            setattr(self, layer['name'], child)
        call = _CallChildLink(self, layer['name'])
        cls = _SingleArgumentFunctionTestMode if layer['use_global_stats'] else _SingleArgumentFunction
        self._set(layer, cls(call, finetune=False))

    @_layer('Eltwise', 'V1:25')
    def _setup_eltwise(self, layer):
        self._set(layer, _EltwiseFunction(layer['operation'], list(layer['coefficients'])))

    @_layer('Scale', None)
    def _setup_scale(self, layer):
        blobs, bias, given = layer['blobs'], layer['bias_term'], len(layer['bottoms']) != 1
        shape, bias_shape = None if given else tuple(blobs[0][1]), None
        if bias:
            bias_blob = blobs[0 if given else 1]
            bias_shape = tuple(bias_blob[1]) if given else shape
        child = scale.Scale(layer['axis'], shape, bias, bias_shape if given else None)
        if not given:
            child.W.array[...] = _Blob(blobs[0]).data.reshape(shape)
        if bias:
            child.bias.b.array[...] = _Blob(bias_blob).data.reshape(bias_shape)
        self._set_child(layer, child)

    @_layer('Slice', 'V1:33')
    def _setup_slice(self, layer):
        points = list(layer['slice_points'])
        self._set(layer, _SingleArgumentFunction(
            functions.split_axis, indices_or_sections=points or len(layer['tops']), axis=layer['axis']))

    @_layer('Softmax', 'V1:20')
    def _setup_softmax(self, layer):
        _expect_axis(layer, 1)
        self._set(layer, _with_engine(layer, functions.softmax))

    @_layer('Sigmoid', 'V1:19')
    def _setup_sigmoid(self, layer):
        self._set(layer, _with_engine(layer, functions.sigmoid))

    @_layer('SoftmaxWithLoss', 'V1:21')
    def _setup_softmax_with_loss(self, layer):
        _expect_axis(layer, 1)
        self._set(layer, _SingleArgumentFunction(
            functions.softmax_cross_entropy, normalize=not layer['by_batch_size'], ignore_label=layer['ignore_label']))

    @_layer('Split', 'V1:22')
    def _setup_split(self, layer):
        source = self.split_map.get(layer['bottoms'][0], layer['bottoms'][0])
        for top in layer['tops']:
            self.split_map[top] = source


def _expect_axis(layer, *axes):
    if layer['axis'] not in axes:
        raise RuntimeError('{}: axis must be {}, not {}'.format(layer['type'], axes[0], layer['axis']))


def _reshape_axes(x, shape, first, count):
    """Replaces `count` axes (-1: all) from `first` on; a length of 0 stands for that of x."""
    first = first if first >= 0 else first + x.ndim + 1
    end = x.ndim if count < 0 else first + count
    if not 0 <= first <= end <= x.ndim:
        raise ValueError('Reshape: {} axes from {} on of a blob of shape {}'.format(count, first, x.shape))
    new = [x.shape[first + i] if n == 0 and first + i < x.ndim else n for i, n in enumerate(shape)]
    return functions.reshape(x, x.shape[:first] + tuple(new) + x.shape[end:])


def _one(pair):
    """A number for a pair of two equal ones."""
    return pair[0] if pair[0] == pair[1] else tuple(pair)


def _get_ksize(layer):
    return _one(layer['kernel'])


def _get_stride(layer):
    return _one(layer['stride'])


def _get_pad(layer):
    return _one(layer['pad'])


def _length(blob, k):
    """A length of a blob's shape, counted from the front, of four axes."""
    shape = blob[1]
    if len(shape) > 4:
        raise RuntimeError('a blob of {} axes is not supported'.format(len(shape)))
    return (1,) * (4 - len(shape)) + tuple(shape)


def _get_num(blob):
    return blob[1][0]


def _get_channels(blob):
    return blob[1][1]


def _get_height(blob):
    return _length(blob, 2)[2]


def _get_width(blob):
    return _length(blob, 3)[3]


class _Blob(initializer.Initializer):
    """Initializes an array with the numbers of a blob."""

    chunk_size = 1024 * 1024

    def __init__(self, blob):
        super(_Blob, self).__init__()
        self.data = blob[0]

    def __call__(self, array):
        array[...] = self.data.reshape(array.shape)


class _ConvolutionBlob(_Blob):
    """Initializes filters; groups become blocks, with zeros around them."""

    def __init__(self, blob, group):
        super(_ConvolutionBlob, self).__init__(blob)
        self._group = group

    def __call__(self, array):
        first, second = array.shape[0] // self._group, array.shape[1] // self._group
        blocks = self.data.reshape((self._group, first, second) + array.shape[2:])
        array[...] = 0
        for i, block in enumerate(blocks):
            array[i * first:(i + 1) * first, i * second:(i + 1) * second] = block


class _SingleArgumentFunction(object):
    """A function of a layer's blobs, with options."""

    def __init__(self, func, *args, **kwargs):
        self.func, self.args, self.kwargs = func, args, kwargs

    def __call__(self, *xs):
        return self.func(*(xs + self.args), **self.kwargs)


class _SingleArgumentFunctionTestMode(_SingleArgumentFunction):
    """A function that runs in test mode."""

    def __call__(self, *xs):
        with configuration.using_config('train', False):
            return super(_SingleArgumentFunctionTestMode, self).__call__(*xs)


class _SingleArgumentFunctionWithCudnn(_SingleArgumentFunction):
    """A function that runs with or without cuDNN."""

    def __init__(self, use_cudnn, func, *args, **kwargs):
        super(_SingleArgumentFunctionWithCudnn, self).__init__(func, *args, **kwargs)
        self.use_cudnn = use_cudnn

    def __call__(self, *xs):
        with configuration.using_config('use_cudnn', self.use_cudnn):
            return super(_SingleArgumentFunctionWithCudnn, self).__call__(*xs)


def _with_engine(layer, function):
    if layer['engine'] == 0:
        return _SingleArgumentFunction(function)
    return _SingleArgumentFunctionWithCudnn('never' if layer['engine'] == 1 else 'always', function)


class _ListArgumentFcuntion(object):
    """A function of the tuple of a layer's blobs, with options."""

    def __init__(self, func, **kwargs):
        self.func, self.kwargs = func, kwargs

    def __call__(self, *xs):
        return self.func(xs, **self.kwargs)


class _CallChildLink(object):
    """Calls a child of a network."""

    def __init__(self, caffe_func, name):
        self.name, self.caffe_func = name, caffe_func

    def __call__(self, *xs, **kwargs):
        return self.caffe_func[self.name](*xs, **kwargs)


class _EltwiseFunction(object):
    """The product (0), the sum with coefficients (1) or the maximum (2) of blobs."""

    def __init__(self, operation, coeffs=None):
        if operation not in (0, 1, 2):
            raise ValueError('operation must be 0, 1 or 2, not {}'.format(operation))
        self.operation, self.coeffs = operation, coeffs

    def __call__(self, *xs):
        coeffs = self.coeffs if self.operation == 1 and self.coeffs else None
        assert coeffs is None or len(coeffs) == len(xs), '{} coefficients for {} blobs'.format(len(coeffs), len(xs))
        y = xs[0] if coeffs is None else xs[0] * coeffs[0]
        for i, x in enumerate(xs[1:], 1):
            if self.operation == 0:
                y = y * x
            elif self.operation == 1:
                y = y + (x if coeffs is None else x * coeffs[i])
            else:
                y = functions.maximum(y, x)
        return y


def __getattr__(name):
    if name == 'caffe_pb':  # needs the package protobuf
        from chainer.links.caffe.protobuf3 import caffe_pb2
        return caffe_pb2
    if name in ('_type_to_method', '_oldname_to_method'):
        old = name == '_oldname_to_method'
        return {int(key[3:]) if old else key: getattr(CaffeFunction, method) for key, method in _SETUPS.items()
                if key.startswith('V1:') == old}
    raise AttributeError('module {} has no attribute {!r}'.format(__name__, name))


