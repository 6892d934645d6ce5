# SPDX-License-Identifier: MIT
"""Hooks that replace parameters of a link while its forward() runs."""
from chainer import functions as F
from chainer import link_hook


class ParameterHook(link_hook.LinkHook):
    """Base of hooks that replace parameters of a link while its forward() runs. Gradients reach the parameters that the
    replacements are computed from."""

    def __init__(self):
        self._calls = []

    def replacement(self, link, name, param):
        """Returns the replacement of an initialized parameter of the link, or None to keep it."""
        raise NotImplementedError

    def allows_quantized(self, link):
        """Returns True if the hook has the same effect when integers take the place of W (Linear.quantize()). By
        default such links are not quantized."""
        return False

    def forward_preprocess(self, args):
        values = args.link.__dict__
        # All replacements are computed before the first parameter is replaced.
        new = {}
        for name in sorted(args.link._params):
            if values[name]._has_array:
                value = self.replacement(args.link, name, values[name])
                if value is not None:
                    new[name] = value
        self._calls.append((args.link, {name: values[name] for name in new}))
        values.update(new)

    def forward_postprocess(self, args):
        for i in reversed(range(len(self._calls))):
            if self._calls[i][0] is args.link:
                args.link.__dict__.update(self._calls.pop(i)[1])
                return

    forward_aborted = forward_postprocess

    def __deepcopy__(self, memo):
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__, _calls=[])
        return copied


class WeightHook(ParameterHook):
    """Base of hooks that replace one parameter of a link. If its size is determined by the first call, so is what the
    hook adds to the link."""

    def __init__(self, weight_name, name):
        super(WeightHook, self).__init__()
        self.weight_name = weight_name
        if name is not None:
            self.name = name

    def prepare(self, link, weight):
        """Adds to the link what the hook needs, once the weight is initialized."""

    def weight_of(self, link):
        return named_weight(type(self).__name__, link, self.weight_name)

    def added(self, link):
        if link is None:
            raise ValueError('{}: add the hook to a link'.format(type(self).__name__))
        if parameter_of(type(self).__name__, link, self.weight_name)._has_array:
            self.prepare(link, self.weight_of(link))

    def forward_preprocess(self, args):
        link, weight = args.link, args.link.__dict__[self.weight_name]
        if not weight._has_array and hasattr(link, '_initialize_params') and args.args:
            from chainer import links, utils
            shape = args.args[0].shape
            if isinstance(link, links.Linear):
                axes = args.kwargs.get('n_batch_axes', args.args[1] if len(args.args) > 1 else 1)
                link._initialize_params(utils.size_of_shape(shape[axes:]))
            else:
                link._initialize_params(shape[1])
            self.prepare(link, self.weight_of(link))
        super(WeightHook, self).forward_preprocess(args)


def parameter_of(operation, link, name):
    """Returns a parameter of a link."""
    if name not in link._params:
        raise ValueError('{}: the {} has no parameter {!r}'.format(operation, type(link).__name__, name))
    return link.__dict__[name]


def named_weight(operation, link, name):
    """Returns an initialized parameter of a link, which must have two axes or more."""
    kind = type(link).__name__
    weight = parameter_of(operation, link, name)
    if not weight._has_array:
        raise ValueError('{}: the parameter {!r} of the {} has no size yet: give the link its input size, or call it '
                         'before'.format(operation, name, kind))
    if weight.ndim < 2:
        raise ValueError('{}: the parameter {!r} must have at least two axes, not the shape {}'.format(
            operation, name, weight.shape))
    return weight


def output_axis(link):
    """Returns the axis of output channels of a link's weight."""
    from chainer import links
    return 1 if isinstance(link, (links.Deconvolution2D, links.DeconvolutionND)) else 0


def as_rows(weight, axis):
    """Returns a weight as a matrix whose rows are the lengths of one axis."""
    front = weight if axis == 0 else F.moveaxis(weight, axis, 0)
    return F.reshape(front, (front.shape[0], -1))
