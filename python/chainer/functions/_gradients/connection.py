# SPDX-License-Identifier: MIT
"""Gradients of convolutions and linear functions, and the parts of recurrent networks."""
import numpy

from chainer import _core
from chainer import configuration
from chainer.function import Function
from chainer.functions._gradients.base import Formula, Places, vjp, xp_of, zeros
from chainer.graph_optimizations.static_graph_utilities import static_code

_c = _core.functions
PLACES = Places('connection')
at = PLACES.at
PLACES['linear', 'static_code'] = static_code


def _pair(x):
    return tuple(x) if hasattr(x, '__getitem__') else (x, x)


for _stem in ('convolution_2d', 'deconvolution_2d', 'deformable_convolution_2d_sampler', 'local_convolution_2d',
              'shift'):
    PLACES[_stem, '_pair'] = _pair


@at('convolution_nd')
def _prod(shape):
    return int(numpy.prod(shape)) if len(shape) else 1


class _GradW(Formula):
    def _of_filters(self, function, gy):
        return vjp(function, [zeros(self.W_shape, self.W_dtype, gy)], [gy])[0]


@at('convolution_2d')
class Convolution2DGradW(_GradW):
    """The gradient with respect to the filters of a convolution, from (x, gy); made from the convolution's node."""

    def __init__(self, conv2d):
        W = conv2d.inputs[1]
        self.W_shape, self.W_dtype = W.shape, W.dtype
        self.kh, self.kw = W.shape[2:]
        for name in ('sy', 'sx', 'ph', 'pw', 'dy', 'dx', 'cover_all', 'groups'):
            setattr(self, name, getattr(conv2d, name))

    def compute(self, x, gy):
        return self._of_filters(lambda W: _c.convolution_2d(
            x, W, None, (self.sy, self.sx), (self.ph, self.pw), self.cover_all, (self.dy, self.dx), self.groups), gy)


@at('convolution_nd')
class ConvolutionNDGradW(_GradW):
    """The gradient with respect to the filters of a convolution, from (x, gy); made from the convolution's node."""

    def __init__(self, convnd):
        W = convnd.inputs[1]
        self.W_shape, self.W_dtype = W.shape, W.dtype
        self.ksize = W.shape[2:]
        for name in ('ndim', 'stride', 'pad', 'cover_all', 'dilate', 'groups'):
            setattr(self, name, getattr(convnd, name))

    def compute(self, x, gy):
        return self._of_filters(lambda W: _c.convolution_nd(
            x, W, None, self.stride, self.pad, self.cover_all, self.dilate, self.groups), gy)


@at('linear')
class LinearGradData(Formula):
    """gy W, from (W, gy)."""

    def compute(self, W, gy):
        return _c.cast(_c.matmul(gy, W), gy.dtype)


@at('linear')
class LinearGradWeight(Formula):
    """gy^T x, from (x, gy)."""

    def __init__(self, w_dtype):
        self._w_dtype = w_dtype

    def compute(self, x, gy):
        return _c.cast(_c.matmul(gy, x, True), self._w_dtype)


@at('bilinear')
class BilinearFunctionGrad(Formula):
    """The gradients of bilinear, from (e1, e2, W, gy) or (e1, e2, W, V1, V2, gy)."""

    def compute(self, *inputs):
        xs, gy = inputs[:-1], inputs[-1]
        if len(xs) == 3:
            return vjp(_c.bilinear, xs, [gy])
        b = zeros(xs[2].shape[2], xs[2].dtype, gy)
        return vjp(_c.bilinear, tuple(xs) + (b,), [gy])


@at('embed_id')
class EmbedIDGrad(Formula):
    """The gradient with respect to the rows of words, from (x, gy)."""

    def __init__(self, w_shape, ignore_label=None):
        self.w_shape, self.ignore_label = w_shape, ignore_label

    def compute(self, x, gy):
        from chainer import functions
        W = zeros(self.w_shape, gy.dtype, gy)
        return vjp(lambda W: functions.embed_id(x.array, W, self.ignore_label), [W], [gy])[0]

    def backward(self, indexes, grad_outputs):
        x = self.get_retained_inputs()[0].array
        rows = _c.embed_id(xp_of(x).where(x == self.ignore_label, 0, x) if self.ignore_label is not None else x,
                           grad_outputs[0])
        if self.ignore_label is not None:
            rows = rows * xp_of(x).asarray((x != self.ignore_label)[..., None], rows.dtype)
        return None, rows


class _Gpu(Function):
    def forward_gpu(self, inputs):
        raise RuntimeError('CUDA is not available in this build')


@at('n_step_rnn')
class CudnnRNNWeightConcat(_Gpu):
    """Concatenates weights of a recurrent network for cuDNN."""

    def __init__(self, n_layers, states, rnn_dir, rnn_mode):
        self.n_layers, self.states, self.rnn_dir, self.rnn_mode = n_layers, states, rnn_dir, rnn_mode


@at('n_step_rnn')
def cudnn_rnn_weight_concat(n_layers, states, use_bi_direction, rnn_mode, ws, bs):
    """Concatenates weights of a recurrent network for cuDNN, which is an error without cuDNN."""
    from chainer.backends import cuda
    cuda.check_cuda_available()


@at('n_step_rnn')
class BaseNStepRNN(_Gpu):
    """A recurrent network computed by cuDNN."""

    def __init__(self, n_layers, states, lengths, rnn_dir, rnn_mode, **kwargs):
        from chainer.utils import argument
        argument.check_unexpected_kwargs(
            kwargs, train='train argument is not supported anymore. Use chainer.using_config')
        argument.assert_kwargs_empty(kwargs)
        self.n_layers, self.states, self.lengths = n_layers, states, lengths
        self.rnn_dir, self.rnn_mode = rnn_dir, rnn_mode
        self.use_cell = rnn_mode == 'lstm'


def _of_mode(direction, mode):
    def __init__(self, n_layers, states, lengths, **kwargs):
        BaseNStepRNN.__init__(self, n_layers, states, lengths, direction, mode, **kwargs)
    return __init__


for _stem, _kind, _mode in (('n_step_rnn', 'RNN%sTanh', 'rnn_tanh'), ('n_step_rnn', 'RNN%sReLU', 'rnn_relu'),
                            ('n_step_lstm', 'LSTM%s', 'lstm'), ('n_step_gru', 'GRU%s', 'gru')):
    for _way, _direction in (('', 'uni'), ('Bi', 'bi')):
        at(_stem)(type('NStep' + _way + _kind.replace('%s', ''), (BaseNStepRNN,), {
            '__init__': _of_mode(_direction, _mode), '__doc__': 'A recurrent network computed by cuDNN.'}))


def _checked(kwargs):
    from chainer.utils import argument
    argument.check_unexpected_kwargs(
        kwargs, train='train argument is not supported anymore. Use chainer.using_config',
        use_cudnn='use_cudnn argument is not supported anymore. Use chainer.using_config')
    argument.assert_kwargs_empty(kwargs)


@at('n_step_rnn')
def n_step_rnn_base(n_layers, dropout_ratio, hx, ws, bs, xs, activation, use_bi_direction, **kwargs):
    """n_step_rnn() or n_step_birnn()."""
    from chainer import functions
    _checked(kwargs)
    if activation not in ('tanh', 'relu'):
        raise ValueError('activation must be tanh or relu, not {!r}'.format(activation))
    call = functions.n_step_birnn if use_bi_direction else functions.n_step_rnn
    return call(n_layers, dropout_ratio, hx, ws, bs, xs, activation)


@at('n_step_gru')
def n_step_gru_base(n_layers, dropout_ratio, hx, ws, bs, xs, use_bi_direction, **kwargs):
    """n_step_gru() or n_step_bigru()."""
    from chainer import functions
    _checked(kwargs)
    call = functions.n_step_bigru if use_bi_direction else functions.n_step_gru
    return call(n_layers, dropout_ratio, hx, ws, bs, xs)


@at('n_step_lstm')
def n_step_lstm_base(n_layers, dropout_ratio, hx, cx, ws, bs, xs, use_bi_direction, **kwargs):
    """n_step_lstm() or n_step_bilstm()."""
    from chainer import functions
    _checked(kwargs)
    call = functions.n_step_bilstm if use_bi_direction else functions.n_step_lstm
    return call(n_layers, dropout_ratio, hx, cx, ws, bs, xs)


@at('n_step_rnn')
def n_step_rnn_impl(f, n_layers, dropout_ratio, hx, cx, ws, bs, xs, use_bi_direction):
    """Runs a cell (h, c) = f(x, h, c, w, b) over sequences sorted by time, layer by layer. Returns the last states, the
    last cells (None if cx is None) and the outputs."""
    from chainer import functions
    ways = 2 if use_bi_direction else 1
    hs, cs = _c.separate(hx), None if cx is None else _c.separate(cx)
    hs, cs = [list(v) if isinstance(v, (list, tuple)) else None if v is None else [v] for v in (hs, cs)]
    h_last, c_last = [], []
    rows = list(xs)
    for layer in range(n_layers):
        if layer:
            rows = _dropout_sequence(rows, dropout_ratio)
        outputs = []
        for way in range(ways):
            k = layer * ways + way
            h, c = hs[k], None if cs is None else cs[k]
            h, c, ys = _one_directional_loop(f, rows if way == 0 else rows[::-1], h, c, ws[k], bs[k])
            h_last.append(h)
            c_last.append(c)
            outputs.append(ys if way == 0 else ys[::-1])
        rows = outputs[0] if ways == 1 else [functions.concat([a, b], axis=1) for a, b in zip(*outputs)]
    return functions.stack(h_last), None if cx is None else functions.stack(c_last), tuple(rows)


@at('n_step_rnn')
def _dropout_sequence(xs, dropout_ratio):
    from chainer import functions
    return [functions.dropout(x, ratio=dropout_ratio) for x in xs] if configuration.config.train else list(xs)


@at('n_step_rnn')
def _one_directional_loop(f, xs, h, c, w, b):
    """Runs a cell over time steps whose batches may be smaller than that of h. Returns h, c and the outputs."""
    from chainer import functions
    ys = []
    for x in xs:
        batch, h_rest, c_rest = x.shape[0], None, None
        if h.shape[0] > batch:
            h, h_rest = functions.split_axis(h, [batch], axis=0)
        if c is not None and c.shape[0] > batch:
            c, c_rest = functions.split_axis(c, [batch], axis=0)
        h, c = f(x, h, c, w, b)
        ys.append(h)
        h = h if h_rest is None else functions.concat([h, h_rest], axis=0)
        c = c if c_rest is None else functions.concat([c, c_rest], axis=0)
    return h, c, ys


@at('n_step_gru')
def _gru(x, h, c, w, b):
    """A step of a GRU; the third argument is not used."""
    from chainer import functions
    xw, hw = functions.concat(w[:3], axis=0), functions.concat(w[3:], axis=0)
    xb, hb = functions.concat(b[:3], axis=0), functions.concat(b[3:], axis=0)
    x_r, x_z, x_h = functions.split_axis(functions.linear(x, xw, xb), 3, axis=1)
    h_r, h_z, h_h = functions.split_axis(functions.linear(h, hw, hb), 3, axis=1)
    r, z = functions.sigmoid(x_r + h_r), functions.sigmoid(x_z + h_z)
    return (1 - z) * functions.tanh(x_h + r * h_h) + z * h, None


@at('n_step_lstm')
def _stack_weight(ws):
    """Interleaves the rows of four weights, as lstm() expects its gates."""
    from chainer import functions
    w = functions.stack(ws, axis=1)
    return functions.reshape(w, (w.shape[0] * w.shape[1],) + w.shape[2:])


@at('n_step_lstm')
def _lstm(x, h, c, w, b):
    """A step of an LSTM."""
    from chainer import functions
    order = (2, 0, 1, 3)
    xw, hw = [_stack_weight([w[k + n] for k in order]) for n in (0, 4)]
    xb, hb = [_stack_weight([b[k + n] for k in order]) for n in (0, 4)]
    c, h = functions.lstm(c, functions.linear(x, xw, xb) + functions.linear(h, hw, hb))
    return h, c


@at('bilinear')
def _as_mat(x):
    return x if x.ndim == 2 else x.reshape(len(x), -1)


@at('convolution_2d')
def _matmul(a, b):
    return numpy.matmul(a, b)
