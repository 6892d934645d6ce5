# SPDX-License-Identifier: MIT
"""Classes of functions. Functions with random numbers are nodes in Python, whose masks are accessible."""
import ast
import functools
import inspect
import re

import numpy

from chainer import _core
from chainer import configuration
from chainer.backends import cuda
from chainer.function import Function
from chainer.function_node import FunctionNode, grad
from chainer.functions import _constructors
from chainer.utils import type_check

_c = _core.functions


def _zero(ratio, x):
    """A mask of the shape of x that is zero with the probability `ratio` and keeps the mean."""
    scale = x.dtype.type(1. / (1 - ratio))
    return cuda.like(((numpy.random.rand(*x.shape) >= ratio) * scale).astype(x.dtype, copy=False), x)


def _normal(x):
    return cuda.like(numpy.asarray(numpy.random.standard_normal(x.shape), x.dtype), x)


def _slopes(l, u, x):
    return cuda.like(numpy.asarray(numpy.random.uniform(l, u, x.shape), x.dtype), x)


def recorded(draw, x):
    """Returns draw(x) of random numbers in the shape of a Variable as a Variable, which each replay of the call that is
    being recorded draws again."""
    like = numpy.broadcast_to(numpy.empty((), x.dtype), x.shape)  # without the elements, which were read otherwise
    return _core.Variable(_core.run_code(lambda inputs, outputs: (draw(like),), [], [])[0], requires_grad=False)


def _result(y, dtype):
    """Returns an array of a dtype; operations on arrays without axes return numbers."""
    return y.astype(dtype, copy=False) if isinstance(y, cuda.ndarray) else numpy.asarray(y, dtype)


class Dropout(FunctionNode):
    """Sets random elements to zero."""

    def __init__(self, dropout_ratio, mask=None, return_mask=False):
        if not 0.0 <= dropout_ratio < 1.0:
            raise ValueError('dropout_ratio must be in the range [0, 1)')
        self.dropout_ratio, self.mask, self.return_mask = dropout_ratio, mask, return_mask

    def check_type_forward(self, in_types):
        type_check.argname(in_types, ('x',))
        type_check.expect(in_types[0].dtype.kind == 'f')

    def forward(self, inputs):
        x, = inputs
        if self.mask is None:
            self.mask = _zero(self.dropout_ratio, x)
        elif self.mask.shape != x.shape:
            raise ValueError('mask shape {} and input shape {} do not match'.format(self.mask.shape, x.shape))
        return _result(x * self.mask, x.dtype),

    def backward(self, indexes, grad_outputs):
        return grad_outputs[0] * self.mask,


class Gaussian(FunctionNode):
    """mean + exp(ln_var / 2) eps."""

    def __init__(self, eps=None):
        self.eps = eps

    def check_type_forward(self, in_types):
        type_check.argname(in_types, ('mean', 'ln_var'))
        mean, ln_var = in_types
        type_check.expect(mean.dtype.kind == 'f', mean.dtype == ln_var.dtype, mean.shape == ln_var.shape)

    def forward(self, inputs):
        self.retain_inputs((1,))
        mean, ln_var = inputs
        if self.eps is None:
            self.eps = _normal(ln_var)
        self.noise = numpy.exp(ln_var * mean.dtype.type(0.5)) * self.eps
        return _result(mean + self.noise, mean.dtype),

    def backward(self, indexes, grad_outputs):
        ln_var, = self.get_retained_inputs()
        g, = grad_outputs
        return g, g * _c.exp(ln_var * 0.5) * self.eps * 0.5


class Zoneout(FunctionNode):
    """h where a random number is below the ratio, x elsewhere."""

    def __init__(self, zoneout_ratio):
        if not 0.0 <= zoneout_ratio <= 1.0:
            raise ValueError('zoneout ratio must be in the range [0, 1]')
        self.zoneout_ratio = zoneout_ratio
        self.flag_h = self.flag_x = None

    def forward(self, inputs):
        h, x = inputs
        if self.flag_x is None:
            flag = numpy.random.rand(*x.shape)
            self.flag_h = cuda.like(numpy.asarray(flag < self.zoneout_ratio, h.dtype), h)
            self.flag_x = cuda.like(numpy.asarray(flag >= self.zoneout_ratio, h.dtype), h)
        return h * self.flag_h + x * self.flag_x,

    def backward(self, indexes, grad_outputs):
        g, = grad_outputs
        return g * self.flag_h, g * self.flag_x


class SimplifiedDropconnect(FunctionNode):
    """A linear map whose weights are set to zero at random, with one mask per example if use_batchwise_mask."""

    def __init__(self, ratio, mask=None, use_batchwise_mask=True):
        if not 0.0 <= ratio < 1.0:
            raise ValueError('ratio must be in the range [0, 1)')
        self.ratio, self.mask, self.use_batchwise_mask = ratio, mask, use_batchwise_mask

    def forward(self, inputs):
        x, W = inputs[0], inputs[1]
        self.retain_inputs((0, 1))
        if x.ndim > 2:
            x = x.reshape(len(x), -1)
        self.scale = W.dtype.type(1. / (1 - self.ratio))
        if self.mask is None:
            shape = (len(x),) + W.shape if self.use_batchwise_mask else W.shape
            self.mask = cuda.like(numpy.random.rand(*shape) >= self.ratio, x)
        y = cuda.get_array_module(x).matmul(W * self.scale * self.mask, x[:, :, None])[:, :, 0]
        if len(inputs) == 3:
            y = y + inputs[2]
        return y.astype(x.dtype, copy=False),

    def backward(self, indexes, grad_outputs):
        x, W = self.get_retained_inputs()
        gy, = grad_outputs
        wide = numpy.promote_types(x.dtype, W.dtype)
        mask = _result(self.mask, wide) * wide.type(self.scale)
        rows = _c.cast(_c.reshape(x, (x.shape[0], W.shape[1])), wide)
        g = _c.cast(gy, wide)
        shape = (len(rows),) + W.shape
        column = _c.broadcast_to(_c.reshape(g, (g.shape[0], g.shape[1], 1)), shape)
        grads = []
        for i in indexes:
            if i == 0:
                gx = _c.sum(column * (_c.broadcast_to(_c.cast(W, wide), shape) * mask), 1)
                grads.append(_c.reshape(_c.cast(gx, x.dtype), x.shape))
            elif i == 1:
                row = _c.broadcast_to(_c.reshape(rows, (rows.shape[0], 1, rows.shape[1])), shape)
                grads.append(_c.cast(_c.sum(column * row * mask, 0), W.dtype))
            else:
                grads.append(_c.sum(gy, 0))
        return tuple(grads)


class DiscriminativeMarginBasedClusteringLoss(object):
    """The loss with its options; call it with embeddings and labels."""

    def __init__(self, delta_v=0.5, delta_d=1.5, max_embedding_dim=10, norm=1, alpha=1.0, beta=1.0, gamma=0.001):
        self.delta_v, self.delta_d, self.max_embedding_dim, self.norm = delta_v, delta_d, max_embedding_dim, norm
        self.alpha, self.beta, self.gamma = alpha, beta, gamma

    def __call__(self, embeddings, labels):
        return _c.discriminative_margin_based_clustering_loss(
            embeddings, labels, self.delta_v, self.delta_d, self.max_embedding_dim, self.norm, self.alpha, self.beta,
            self.gamma)


class Identity(FunctionNode):
    """Returns the inputs."""

    def forward(self, xs):
        return xs

    def backward(self, indexes, gys):
        return gys


class _Composed(FunctionNode):
    """A function of the library as a class. Its gradient is that of the function on the retained inputs."""

    _joined = None  # the name of a class whose function takes its inputs as a tuple
    _kept = None  # the inputs and outputs that are retained; None: all inputs
    _of_output = None  # the gradient of the output and its gradient, where the output is retained

    def __init__(self, *args, **kwargs):
        self._args, self._kwargs = args, kwargs
        given = _given(type(self), args, kwargs)
        if given is not None:
            from chainer.functions import _nodes
            self._args, self._kwargs = (), given
            if given:
                self.__dict__.update(_nodes.attributes(type(self).__name__, _nodes.Given(given, self)))
        elif args and '{}' in getattr(self, '_label', ''):
            self.value, = args

    def _call(self, xs, enable_backprop):
        with configuration.using_config('enable_backprop', enable_backprop):
            if self._library:
                from chainer.functions import _nodes
                y = _nodes.call(self._node, xs)
            else:
                y = _value_of(self, xs)
        return y if isinstance(y, tuple) else (y,)

    def forward_cpu(self, inputs):
        if self._library:
            with _core.HiddenHooks():
                if self._node.function is None:
                    return self._node.forward(inputs)
                return tuple([y.array for y in self._call(inputs, False)])
        kept_inputs, kept_outputs = self._kept or (tuple(range(len(inputs))), ())
        if kept_inputs:
            self.retain_inputs(kept_inputs)
        if kept_outputs:
            self.retain_outputs(kept_outputs)
        self._arrays = inputs  # for backward() where nothing is retained: after a call, or without a graph
        return tuple([y.array for y in self._call([_core.Variable(x, requires_grad=False) for x in inputs], False)])

    forward_gpu = forward_cpu

    def apply(self, inputs):
        outputs = super().apply(inputs)
        if any(y.requires_grad for y in outputs):
            self.__dict__.pop('_arrays', None)
        return outputs

    def _inputs_again(self):
        """The inputs as Variables. What the class does not retain is zero: the gradient does not depend on it."""
        retained = dict(zip(self._input_indexes_to_retain or (), self.get_retained_inputs()))
        if not retained:
            if '_arrays' not in self.__dict__:
                raise RuntimeError('{}: backward() needs what forward retains, and forward has retained nothing'.format(
                    self.label))
            return [_core.Variable(x) for x in self._arrays]
        for i, x in enumerate(self.inputs):
            if i not in retained:
                if self._kept is None or i in self._kept[0]:
                    raise RuntimeError('{}: backward() needs input {}, which forward has not retained'.format(
                        self.label, i))
                zero = numpy.zeros(x.shape, x.dtype)
                retained[i] = _core.Variable(cuda.like(zero, next(iter(retained.values())).array))
        return [retained[i] for i in range(len(retained))]

    def backward(self, indexes, grad_outputs):
        if self._library and self._node.function is None:
            return self._node.backward(indexes, grad_outputs)
        if self._library:
            raise RuntimeError('{}: the library computes the gradient; use backward() of a Variable, or grad()'.format(
                self.label))
        of_output, kept = self._of_output, self.get_retained_outputs()
        if of_output and kept:
            return of_output(kept[0], grad_outputs[0]),
        xs = self._inputs_again()
        # Ends that no input was computed from: the gradient must not pass from one input through another one.
        with configuration.using_config('enable_backprop', True):
            xs = [_c.identity(x) if x.requires_grad else x for x in xs]
        ys = self._call(xs, True)
        live = [(y, g) for y, g in zip(ys, grad_outputs) if g is not None]
        wanted = xs if len(xs) == 1 else [xs[i] for i in indexes]
        return tuple(grad([y for y, _ in live], list(wanted), [g for _, g in live],
                          enable_double_backprop=bool(configuration.config.enable_backprop)))

    @property
    def label(self):
        if self._library:
            from chainer.functions import _nodes
            return _nodes.label_of(type(self), self._node, self)
        return type(self)._label.format(*[_value_text(a) for a in self._args])


def _value_of(of, xs):
    """Computes the function of a class."""
    return type(of)._function(*((tuple(xs),) if of._joined else tuple(xs)) + of._args, **of._kwargs)


class _OldComposed(Function):
    """A function of the library as an old-style function."""

    _library = False
    _joined = None

    def __init__(self, *args, **kwargs):
        self._args, self._kwargs = args, kwargs
        if self._joined:
            self._args, self._kwargs = (), _constructors.bound(type(self), args, kwargs)
            self.__dict__.update(self._kwargs)

    def __getattr__(self, name):
        if self._library and name[:2] != '__':
            return self._owned_node._node.y if name == 'y' else getattr(self._owned_node, name)
        raise AttributeError('{!r} object has no attribute {!r}'.format(type(self).__name__, name))

    def _call(self, xs, enable_backprop):
        with configuration.using_config('enable_backprop', enable_backprop):
            y = _value_of(self, xs)
        return y if isinstance(y, tuple) else (y,)

    def forward_cpu(self, inputs):
        if self._library:
            with _core.HiddenHooks():
                return self._owned_node._node.forward(inputs)
        return tuple([y.array for y in self._call([_core.Variable(x, requires_grad=False) for x in inputs], False)])

    def backward_cpu(self, inputs, grad_outputs):
        xs = [_core.Variable(x, requires_grad=x.dtype.kind == 'f') for x in inputs]
        live = [(y, _core.Variable(g)) for y, g in zip(self._call(xs, True), grad_outputs) if g is not None]
        wanted = [x for x in xs if x.requires_grad]
        found = iter(grad([y for y, _ in live], wanted, [g for _, g in live]))
        grads = [next(found) if x.requires_grad else None for x in xs]
        return tuple([None if g is None else g.array for g in grads])

    forward_gpu, backward_gpu = forward_cpu, backward_cpu


# Functions whose parameters in C++ are not those of the class.
_OTHER_PARAMETERS = ('split_axis', 'tensordot', 'einsum', 'pad', 'where', 'sparse_matmul')


@functools.lru_cache(None)
def _parameters(function):
    """The names and defaults of a function's parameters that are not inputs; None if they are not known."""
    name = getattr(function, '__name__', '')
    function = None if name in _OTHER_PARAMETERS else getattr(_c, name, None)
    line = (function.__doc__ or '').partition('\n')[0] if function is not None else ''
    found = re.match(r'\w+\((.*)\) -> ', line)
    if not found:
        return None
    names = []
    for i, part in enumerate(re.split(r', (?=\w+:)', found.group(1))):
        name, kind, default = re.match(r'(\w+): ([^=]*?)(?: = (.*))?$', part).groups()
        if not (kind.startswith('Variable') or (i == 0 and kind.startswith('tuple'))):
            names.append((name, inspect.Parameter.empty if default is None else ast.literal_eval(default)))
    return names


def _given(cls, args, kwargs):
    """The parameters of the class's function, of the arguments of its constructor."""
    if cls._joined:
        return _constructors.bound(cls, args, kwargs)
    parameters = _parameters(cls._function)
    if parameters is None or len(args) > len(parameters):
        return None
    bound = dict(zip([name for name, _ in parameters], args))
    bound.update(kwargs)
    for name, default in parameters:
        if default is not inspect.Parameter.empty:
            bound.setdefault(name, default)
    return bound


def _value_text(value):
    """A constant in a label."""
    if isinstance(value, float) or isinstance(value, numpy.floating):
        text = str(float(value))
    elif numpy.isscalar(value):
        text = str(value)
    elif isinstance(value, (numpy.ndarray, cuda.ndarray, _core.Variable)):
        return 'constant array'
    else:
        raise ValueError('Value must be a Variable, scalar, numpy.ndarray, or cupy.ndarray.')
    return '({})'.format(text) if text.startswith('-') else text


# Chapter, module: (class, label, function of inputs and the constructor's arguments).
_TABLE = {
    ('math', 'trigonometric'): [(n[0].upper() + n[1:], n, getattr(_c, n)) for n in (
        'sin', 'cos', 'tan', 'arcsin', 'arccos', 'arctan', 'arctan2')],
    ('math', 'hyperbolic'): [('Cosh', 'cosh', _c.cosh), ('Sinh', 'sinh', _c.sinh)],
    ('math', 'exponential'): [('Exp', 'exp', _c.exp), ('Log', 'log', _c.log), ('Log2', 'log2', _c.log2),
                              ('Log10', 'log10', _c.log10)],
    ('math', 'exponential_m1'): [('Expm1', 'expm1', _c.expm1)],
    ('math', 'logarithm_1p'): [('Log1p', 'log1p', _c.log1p)],
    ('math', 'sqrt'): [('Sqrt', 'sqrt', _c.sqrt)],
    ('math', 'square'): [('Square', 'square', _c.square)],
    ('math', 'floor'): [('Floor', 'floor', _c.floor)], ('math', 'ceil'): [('Ceil', 'ceil', _c.ceil)],
    ('math', 'sign'): [('Sign', 'sign', _c.sign)], ('math', 'fix'): [('Fix', 'fix', _c.fix)],
    ('math', 'erf'): [('Erf', 'erf', _c.erf)], ('math', 'erfc'): [('Erfc', 'erfc', _c.erfc)],
    ('math', 'basic_math'): [
        ('Neg', '__neg__', lambda x: -x), ('Absolute', '|_|', _c.absolute), ('Add', '_ + _', lambda a, b: a + b),
        ('AddConstant', '_ + {}', lambda x, v: x + v), ('Sub', '_ - _', lambda a, b: a - b),
        ('SubFromConstant', '{} - _', lambda x, v: v - x), ('Mul', '_ * _', lambda a, b: a * b),
        ('MulConstant', '_ * {}', lambda x, v: x * v), ('Div', '_ / _', lambda a, b: a / b),
        ('DivFromConstant', '{} / _', lambda x, v: v / x), ('PowVarVar', '_ ** _', lambda a, b: a ** b),
        ('PowVarConst', '_ ** {}', lambda x, v: x ** v), ('PowConstVar', '{} ** _', lambda x, v: v ** x)],
    ('activation', 'relu'): [('ReLU', 'ReLU', _c.relu)],
    ('activation', 'sigmoid'): [('Sigmoid', 'Sigmoid', _c.sigmoid),
                                ('SigmoidGrad', 'SigmoidGrad', lambda y, gy, inputs=None: gy * y * (1 - y))],
    ('activation', 'tanh'): [('Tanh', 'Tanh', _c.tanh),
                             ('TanhGrad', 'TanhGrad', lambda y, gy, x=None: gy * (1 - y * y))],
}


# What classes retain, as in the release: inputs, outputs. (Softmax also its input, of which the gradient is computed.)
_KEPT = dict.fromkeys(('ReLU', 'Sigmoid', 'Tanh', 'Exp', 'Sqrt'), ((), (0,)))
_KEPT.update(dict.fromkeys(('LinearFunction', 'Convolution2DFunction', 'Deconvolution2DFunction', 'ConvolutionND',
                            'DeconvolutionND', 'BatchNormalization'), ((0, 1), ())))
_KEPT['Softmax'] = (0,), (0,)
_OF_OUTPUT = {
    'ReLU': lambda y, g: g * (y.array > 0).astype(g.dtype), 'Sigmoid': lambda y, g: g * y * (1 - y),
    'Tanh': lambda y, g: g * (1 - y * y), 'Exp': lambda y, g: g * y, 'Sqrt': lambda y, g: g / (y * 2),
}


def _retaining(name):
    return {'_kept': _KEPT.get(name), '_of_output': staticmethod(_OF_OUTPUT[name]) if name in _OF_OUTPUT else None}


def _placed(chapter, module, cls):
    cls.__module__ = 'chainer.functions.%s.%s' % (chapter, module)
    return chapter, module, cls.__name__, cls


def classes():
    """Yields (chapter, module, name, class) for all classes."""
    for (chapter, module), rows in _TABLE.items():
        for name, label, function in rows:
            yield chapter, module, name, type(name, (_Composed,), {
                **_retaining(name),
                '_function': staticmethod(function), '_label': label, '__doc__': _Composed.__doc__,
                '__module__': 'chainer.functions.%s.%s' % (chapter, module)})
    yield _placed('noise', 'dropout', Dropout)
    yield _placed('noise', 'gaussian', Gaussian)
    yield _placed('noise', 'zoneout', Zoneout)
    yield _placed('noise', 'simplified_dropconnect', SimplifiedDropconnect)
    yield 'loss', 'discriminative_loss', 'DiscriminativeMarginBasedClusteringLoss', \
        DiscriminativeMarginBasedClusteringLoss
    yield _placed('math', 'identity', Identity)
    from chainer.functions._forget import Forget
    yield _placed('util', 'forget', Forget)
    yield 'math', 'basic_math', '_convert_value_to_string', _value_text
    yield 'array', 'flip', '_flip', numpy.flip


# Classes of old-style functions.
_OLD = ('SLSTM', 'TreeLSTM', 'SpatialTransformerGrid', 'SpatialTransformerSampler', 'Accuracy', 'BinaryAccuracy',
        'ConnectionistTemporalClassification', 'DeCov', 'Hinge', 'SoftmaxCrossEntropy', 'ROIAverageAlign2D')


# Classes with other names than their functions.
_FUNCTIONS = {'NormalizeL2': 'normalize', 'MultiAdd': 'add'}


def find(module, name):
    """Returns the class of a function in a module, such as relu.ReLU of relu(), created at first access."""
    plain = (name[:-len('Function')] if name.endswith('Function') else name).lower()
    plain = _FUNCTIONS.get(name, '').replace('_', '') or plain
    if name[:1].isupper():
        for key, function in list(vars(module).items()):
            if key.replace('_', '') == plain and callable(function):
                text = function.__doc__
                if name in _constructors.FUNCTIONS:
                    function = _constructors.FUNCTIONS[name]
                    made = type(name, (_OldComposed if name in _OLD else _Composed,), {'_joined': name})
                elif name.endswith('ND'):  # its first argument is the number of axes
                    made = type(name, (_Composed,), dict(_retaining(name), __init__=_without_first))
                elif name in _OLD:
                    made = type(name, (_OldComposed,), {})
                else:
                    made = type(name, (_Composed,), _retaining(name))
                made._function, made._label, made.__doc__ = staticmethod(function), name, text
                made.__module__ = module.__name__
                setattr(module, name, made)
                return made
    raise AttributeError('module {} has no attribute {!r}'.format(module.__name__, name))


def _without_first(self, ndim, *args, **kwargs):
    self.ndim = ndim
    _Composed.__init__(self, *args, **kwargs)
