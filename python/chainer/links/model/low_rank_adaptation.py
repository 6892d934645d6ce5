# SPDX-License-Identifier: MIT
import copy

from chainer import configuration
from chainer import functions as F
from chainer import initializers
from chainer import link
from chainer import variable
from chainer.link_hooks import parameter_hook
from chainer.links.connection.linear import Linear

_NAME = 'LowRankAdaptation'


def _constant(param):
    return variable.Variable(param.array, requires_grad=False)


def _is_quantized(part):
    return isinstance(part, Linear) and part.quantized is not None


class _Constants(parameter_hook.ParameterHook):
    """Makes all parameters of a link constants."""

    name = _NAME

    def allows_quantized(self, link):
        return True

    def replacement(self, link, name, param):
        return _constant(param)


class _Adapted(parameter_hook.ParameterHook):
    name = _NAME

    def __init__(self, part, scale, dropout):
        super(_Adapted, self).__init__()
        self._part, self._scale, self._dropout = part, scale, dropout

    def __deepcopy__(self, memo):
        copied = super(_Adapted, self).__deepcopy__(memo)
        copied._part = copy.deepcopy(self._part, memo)
        return copied

    def allows_quantized(self, link):
        return isinstance(link, Linear)

    def _drops(self):
        return self._dropout > 0 and configuration.config.train

    def replacement(self, link, name, param):
        if name != 'W' or self._drops():
            return _constant(param)
        return _constant(param) + F.matmul(self._part.up, self._part.down) * self._scale

    def forward_postprocess(self, args):
        super(_Adapted, self).forward_postprocess(args)
        drops = self._drops()
        if drops or _is_quantized(args.link):
            x = args.args[0] if args.args else args.kwargs['x']
            if drops:
                x = F.dropout(x, self._dropout)
            low = F.linear(x, self._part.down, None, args.out.ndim - 1)
            args.out = args.out + F.linear(low, self._part.up, None, low.ndim - 1) * self._scale


class _Part(link.Chain):
    """What the adaptation adds to one link of the model: the matrices, and the persistent values of the link itself."""

    def __init__(self, adapted):
        super(_Part, self).__init__()
        self._adapted = adapted

    def serialize(self, serializer):
        super(_Part, self).serialize(serializer)
        values = self._adapted.__dict__
        for name in self._adapted._persistent:
            values[name] = serializer(name, values[name])
        if _is_quantized(self._adapted):
            self._adapted._serialize_quantized(serializer)


class LowRankAdaptation(_Part):
    """A trained model, adapted by training few parameters (LoRA, Hu et al., arXiv:2106.09685): each weight W (out, in)
    of the links that are named becomes W + alpha / rank up down, with the parameters `down` (rank, in) and `up`
    (out, rank), which are the only parameters of this link; `up` is initially zero, so that nothing changes. All
    parameters of the model are constants, without gradients. Files and optimizers hold the parameters of this link and
    the persistent values of the model, which is loaded from a file of its own.

    Called, it calls the model.

    Args:
        model (Link): The model, whose weights have sizes: one that was called or loaded before.
        rank (int): The rank of the products.
        alpha (float): The products are multiplied by alpha / rank; the rank by default.
        links (sequence of str): The last names of the links to adapt.
        initial_down: The initializer of `down`.
        dropout (float): Dropout of the inputs of the products, in training; the links must be Linear.

    The weights of Linear may be quantized before or after (inference.quantize_weights()); they cannot be merged then.

    .. code-block:: python

        adapted = L.LowRankAdaptation(encoder, rank=2, links=('query', 'value'))
        optimizer.setup(adapted)

    :ivar model: The adapted model.
    :ivar paths: The adapted links, by path below the model.
    """

    def __init__(self, model, rank=8, alpha=None, links=('query', 'value'), initial_down=None, dropout=0):
        super(LowRankAdaptation, self).__init__(model)
        if rank < 1:
            raise ValueError('LowRankAdaptation: the rank must be positive, not {}'.format(rank))
        if not 0 <= dropout < 1:
            raise ValueError('LowRankAdaptation: dropout must be in [0, 1), not {}'.format(dropout))
        named = list(model.namedlinks())
        chosen = {}
        for path, part in named:
            if _NAME in part.local_link_hooks:
                raise ValueError('LowRankAdaptation: the {} is adapted already'.format(type(model).__name__))
            if path.rsplit('/', 1)[1] not in links:
                continue
            shape = part.quantized.shape if _is_quantized(part) else parameter_hook.named_weight(_NAME, part, 'W').shape
            if len(shape) != 2:
                raise ValueError('LowRankAdaptation: W of {} must be a matrix, not of shape {}'.format(path, shape))
            if dropout and not isinstance(part, Linear):
                raise ValueError('LowRankAdaptation: with dropout {} must be a Linear, not of class {}'.format(
                    path, type(part).__name__))
            chosen[path] = shape
        if not chosen:
            raise ValueError('LowRankAdaptation: no link of the {} is named {}; namedlinks() lists the paths'.format(
                type(model).__name__, ', '.join(map(repr, links))))
        self._model = model
        self._paths, self._scale = list(chosen), float(rank if alpha is None else alpha) / rank
        places = {'/': self}
        for path, part in named:
            if path == '/':
                place = self
            else:
                above, name = path.rsplit('/', 1)
                place = places[path] = _Part(part)
                places[above or '/'].add_link(name, place)
            if path in chosen:
                out, size = chosen[path]
                with place.init_scope():
                    place.down = variable.Parameter(initializers._get_initializer(initial_down), (rank, size))
                    place.up = variable.Parameter(initializers._get_initializer(0), (out, rank))
                part.add_hook(_Adapted(place, self._scale, dropout))
            else:
                part.add_hook(_Constants())
        if not model._cpu:
            self.to_gpu(model._device_id)

    @property
    def model(self):
        return self._model

    @property
    def paths(self):
        return self._paths

    def forward(self, *args, **kwargs):
        return self._model(*args, **kwargs)

    def to_cpu(self):
        self._model.to_cpu()
        return super(LowRankAdaptation, self).to_cpu()

    def to_gpu(self, device=None):
        self._model.to_gpu(device)
        return super(LowRankAdaptation, self).to_gpu(device)

    def merge(self):
        """Adds the products to the weights, which ends the adaptation: the model is then a plain one, and this link has
        no parameters."""
        if not self._paths:
            raise RuntimeError('LowRankAdaptation: the products are merged already')
        for path, part in self._model.namedlinks():
            if path in self._paths and _is_quantized(part):
                raise RuntimeError('LowRankAdaptation: the weight of {} has {} bits and cannot be merged'.format(
                    path, part.quantized.bits))
        places = dict(self.namedlinks())
        for path, part in self._model.namedlinks():
            part.delete_hook(_NAME)
            if path in self._paths:
                place = places[path]
                part.W.array = part.W.array + (place.up.array @ place.down.array) * part.W.dtype.type(self._scale)
        for name in sorted(self._children):
            delattr(self, name)
        del self._paths[:]
