# SPDX-License-Identifier: MIT
"""The nodes of the library's functions as Python sees them: instances of the release's classes, with the attributes that
converters read. The attributes come from what a node describes for exporters in C++, or from the parameters of a call
that is recorded as one node."""
import sys
import types

import numpy

from chainer import _core
from chainer import function
from chainer.functions import _classes

# Labels of the library's nodes that are not the names of the release's classes.
_NAMES = {'_ + _': 'Add', '_ - _': 'Sub', '_ * _': 'Mul', '_ / _': 'Div', '_ ** _': 'PowVarVar', '__neg__': 'Neg',
          '|_|': 'Absolute', 'ConvolutionGradW': 'Convolution2DGradW', 'digamma': 'DiGamma', 'lgamma': 'LGamma',
          'erfinv': 'ErfInv', 'erfcinv': 'ErfcInv'}
_CONSTANTS = {'AddConstant': 'AddConstant', 'SubFromConstant': 'SubFromConstant', 'MulConstant': 'MulConstant',
              'DivConstant': 'MulConstant', 'DivFromConstant': 'DivFromConstant', 'PowConstant': 'PowVarConst',
              'PowFromConstant': 'PowConstVar'}
_MODULES = {'NormalizeL2': 'normalization.l2_normalization', 'MultiAdd': 'math.basic_math',
            'CooMatMul': 'math.sparse_matmul', 'Copy': 'array.copy'}
_LABELS = {'BatchDet': 'det', 'PolyGamma': 'polygamma'}


def _module_of(name):
    """The module with a class of this name, or None."""
    if name in _MODULES:
        return sys.modules.get('chainer.functions.' + _MODULES[name])
    plain = (name[:-len('Function')] if name.endswith('Function') else name).lower()
    modules = [(full, module) for full, module in list(sys.modules.items())
               if full.startswith('chainer.functions.') and type(module) is types.ModuleType]
    # The module of the function comes before others that import the function.
    modules.sort(key=lambda item: item[0].rpartition('.')[2].replace('_', '') != plain)
    for full, module in modules:
        found = vars(module)
        if isinstance(found.get(name), type):
            return module
        if full.count('.') == 3 and any([key.replace('_', '') == plain and callable(f) and not isinstance(f, type)
                                         for key, f in list(found.items())]):
            return module
    return None


def class_of(label, impl):
    """Returns the class of a node, or what makes its objects."""
    name = _CONSTANTS.get(impl) or _NAMES.get(label) or label
    if not name[:1].isupper():
        name = next((n for rows in _classes._TABLE.values() for n, text, _ in rows if text == label), impl)
    module = _module_of(name)
    if module is None:
        made = _other.get(name)
        if made is None:
            made = _other[name] = type(name, (_classes._Composed,), {'_label': name, '__module__': 'chainer.functions'})
        return made
    made = getattr(module, name)
    return _Adapted(made) if issubclass(made, function.Function) else made


_other = {}


class _Adapted(object):
    """Makes nodes of old-style functions: the adapter, which has the function."""

    def __init__(self, made):
        self._made = made

    def _of_node(self, node):
        adapter = function.FunctionAdapter._of_node(node)
        adapter._made = self._made
        return adapter


def label_of(cls, node, of):
    """The label of a library's node."""
    text = getattr(cls, '_label', cls.__name__)
    if '{}' in text:
        return text.format(_classes._value_text(of.value))
    if node.function is not None:
        return text
    return _LABELS.get(cls.__name__) or node.label


def _both(value):
    return value if isinstance(value, tuple) else (value, value)


def _all(value, ndim):
    return value if isinstance(value, tuple) else (value,) * ndim


def _size(d, key, first, second):
    if key in d:
        value = d.pop(key)
        d[first], d[second] = (None, None) if value is None or value == () else _both(value)


def _images(d, node):
    """Windows, strides and padding of two axes."""
    if d.get('stride', 0) is None:
        d['stride'] = d['ksize']
    for key, first, second in (('ksize', 'kh', 'kw'), ('stride', 'sy', 'sx'), ('pad', 'ph', 'pw'),
                               ('dilate', 'dy', 'dx'), ('outsize', 'outh', 'outw'), ('out', 'outh', 'outw')):
        _size(d, key, first, second)
    if d.get('outh', 0) is None:
        shape = _shape_of_output(node)
        if shape is not None:
            d['outh'], d['outw'] = shape[2:]


def _space(d, node):
    """Windows, strides and padding of any number of axes."""
    if d.get('stride', 0) is None:
        d['stride'] = d['ksize']
    if node.ndim < -1:
        return
    ndim = len(d['stride']) if node.function is None else node.ndim - 2
    for key in ('ksize', 'stride', 'pad', 'dilate'):
        if key in d:
            d[key] = _all(d[key], ndim)
    for key in ('out', 'outsize'):
        if key in d:
            d['outs'] = d.pop(key)
    if 'outs' in d and not d['outs']:
        shape = _shape_of_output(node)
        d['outs'] = None if shape is None else shape[2:]
    d['ndim'] = ndim


def _shape_of_output(node):
    there = [n for n in node._outputs if n is not None]
    return there[0].shape if there else None


def _axis_of_batch(d, node):
    axis = d.get('axis')
    if axis is None and node.ndim < 0:
        return
    if axis is None:
        axis = (0,) + tuple(range(2, node.ndim))
    d['axis'] = axis
    d['key_axis'] = tuple([i for i in range(node.ndim) if i not in axis])
    d['expander'] = tuple([None if i in axis else slice(None) for i in range(node.ndim)])


def _renamed(**names):
    def convert(d, node):
        for new, old in names.items():
            if old in d:
                d[new] = d.pop(old)
    return convert


def _with(**values):
    def convert(d, node):
        d.update(values)
    return convert


def _sequence(*keys):
    def convert(d, node):
        for key in keys:
            if d.get(key) is not None and not isinstance(d[key], tuple):
                d[key] = (d[key],)
    return convert


def _single(*keys):
    """One axis instead of a tuple."""
    def convert(d, node):
        for key in keys:
            if isinstance(d.get(key), tuple) and len(d[key]) == 1:
                d[key] = d[key][0]
    return convert


def _constant(d, node):
    value = d.pop('scalar', d.get('value'))
    d['value'] = 1. / value if node._impl_name == 'DivConstant' else value


def _average(d, node):
    _images(d, node)
    d['cover_all'] = False


def _average_nd(d, node):
    _space(d, node)
    d['cover_all'] = False


def _split(d, node):
    if 'positions' in d:
        d['indices'] = d.pop('positions')
    if 'indices_or_sections' in d:
        where = d.pop('indices_or_sections')
        d['indices' if numpy.ndim(where) else 'sections'] = where
    d.setdefault('indices', None)
    d.setdefault('sections', None)


def _resize(d, node):
    _size(d, 'output_shape', 'out_H', 'out_W')


def _softplus(d, node):
    d['beta_inv'] = 1. / d['beta']


def _pad(d, node):
    d['pad_width'] = tuple([tuple(p) for p in d['pad_width']])
    d['pad_bw'] = numpy.asarray(d['pad_width'])
    keywords = d['keywords'] = {}
    for key in ('constant_values', 'end_values'):
        values = d.pop(key)
        if any(any(pair) for pair in values):
            keywords[key] = tuple([tuple(p) for p in values])


def _einsum(d, node):
    d['in_subs'], _, d['out_sub'] = d.pop('subscripts').partition('->')


def _sparse(d, node):
    for key in ('row', 'col', 'shape', 'order'):
        d['sp_' + key] = d.pop(key)
    if not d.pop('left'):  # the product of the transposed matrices
        d['transa'], d['transb'], d['transc'] = not d['transb'], not d['transa'], True
    d.setdefault('transc', False)
    d['dtype'] = None


def _copy(d, node):
    d['out_device'] = d.pop('dst')


def _multi_add(d, node):
    d['len'] = len(node.inputs or ())


def _fft(d, node):
    d['_method'] = node.function


def _tensordot(d, node):
    a, b = d.pop('a_axes', None), d.pop('b_axes', None)
    if a:
        d['axes'] = (a, b)


def _axes(d, node):
    if 'axes' in d:
        d['axis'] = d.pop('axes')
    _sequence('axis')(d, node)


def _cast(d, node):
    d['type'] = d.pop('typ' if 'typ' in d else 'dtype')


_CONVERT = {
    'ClippedReLU': _renamed(cap='z'), 'Clip': _renamed(x_min='lo', x_max='hi'), 'Softplus': _softplus,
    'RReLU': _renamed(lower='l', upper='u'), 'Cast': _cast, 'GetItem': _sequence('slices'), 'ScatterAdd': _sequence('slices'), 'BroadcastTo': _renamed(_shape='shape'),
    'SumTo': _renamed(_shape='shape'), 'Sum': _axes, 'Max': _axes, 'Min': _axes, 'Prod': _axes,
    'Convolution2DFunction': _images, 'Deconvolution2DFunction': _images, 'ConvolutionND': _space,
    'DeconvolutionND': _average_nd, 'AveragePooling2D': _average, 'MaxPooling2D': _images, 'Unpooling2D': _images,
    'Upsampling2D': _images, 'AveragePoolingND': _average_nd, 'SplitAxis': _split, 'MaxPoolingND': _space, 'UnpoolingND': _space,
    'Im2Col': _images, 'LocalConvolution2DFunction': _images, 'Shift': _images, 'ResizeImages': _resize,
    'ROIPooling2D': _images, 'BatchNormalization': _axis_of_batch, 'FixedBatchNormalization': _axis_of_batch,
    'MatMul': _with(transc=False, dtype=None), 'CooMatMul': _sparse, 'EinSum': _einsum, 'Copy': _copy,
    'MultiAdd': _multi_add, 'FFT': _fft, 'Pad': _pad, 'TensorDot': _tensordot,
    'Moveaxis': _sequence('source', 'destination'), 'Repeat': _sequence('repeats'), 'Tile': _sequence('reps'),
    'Squeeze': _sequence('axis'), 'NormalizeL2': _sequence('axis'), 'LogSumExp': _sequence('axis'),
    'ArgMax': _single('axis'), 'ArgMin': _single('axis'), 'Flip': _single('axis'), 'Cumsum': _single('axis'),
}
# Of the arguments of constructors that are not the function's.
_JOINED = {'AveragePooling2D': _images, 'AveragePoolingND': _space, 'SplitAxis': _split,
           'FFT': _renamed(_method='method')}
for _name in set(_CONSTANTS.values()):
    _CONVERT[_name] = _constant


def attributes(name, node):
    """The attributes of a library's node of the class `name`."""
    d = node.attributes()
    convert = (_JOINED if isinstance(node, Given) and node.joined else _CONVERT).get(name)
    if convert is not None:
        convert(d, node)
    return d


class Given(object):
    """The parameters that the constructor of a class was given, in the form of a recorded call."""

    inputs, _outputs = None, ()

    def __init__(self, parameters, of):
        self._parameters, self._impl_name, self.function = parameters, type(of).__name__, type(of).__name__
        self.ndim = of.__dict__.get('ndim', parameters.get('ndim', -3)) + 2
        self.joined = of._joined

    def attributes(self):
        return dict(self._parameters)


def call(node, xs):
    """Computes the outputs of a recorded call again."""
    f = getattr(_core.functions, node.function)
    if node.function == 'einsum':
        return f(node.attributes()['subscripts'], tuple(xs))
    if node.function == 'sparse_matmul':
        return f(data=xs[0], dense=xs[1], **node.attributes())
    return f(tuple(xs), **node.attributes()) if node.takes_list else f(*xs, **node.attributes())
