# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import weakref

import numpy

from chainer import _core
from chainer import configuration
from chainer.backends import cuda
from chainer.configuration import force_backprop_mode, no_backprop_mode  # NOQA
from chainer.function_hook import FunctionHook  # NOQA
from chainer.function_node import _as_variable, FunctionNode


class _Gradient(FunctionNode):
    """Passes gradients of an old-style function into a second graph; differentiating it raises an error with the
    reason."""

    def __init__(self, arrays, label):
        self._arrays, self._label = arrays, label

    def forward(self, inputs):
        return tuple(self._arrays)

    def backward(self, indexes, grad_outputs):
        raise RuntimeError('cannot twice-differentiate an old style Function "%s"' % self._label)


class FunctionAdapter(FunctionNode):
    """The graph node that wraps an old-style function."""

    def __init__(self, function):
        self._function = function
        self._weak = weakref.ref(function)
        function._owned_node = None
        function._weak_node = weakref.ref(self)

    _made = _kept = None

    @property
    def function(self):
        if not self._library:
            return self._function
        # The function owns this object, so that the graph does not own itself.
        f = None if self._kept is None else self._kept()
        if f is None:
            f = self._made.__new__(self._made)
            f._owned_node, f._library = self, True
            self._kept = weakref.ref(f)
        return f

    @property
    def label(self):
        return self._made.__name__ if self._library else self._function.label

    @property
    def _impl_name(self):
        return self._made.__name__ if self._library else self._function._impl_name

    def check_type_forward(self, in_types):
        self._function.check_type_forward(in_types)

    def _check_data_type_forward(self, in_data):
        if type(self._function).check_type_forward is not Function.check_type_forward or \
                'check_type_forward' in self._function.__dict__:
            FunctionNode._check_data_type_forward(self, in_data)

    def forward(self, inputs):
        if self._library:
            return self.function.forward(inputs)
        self.retain_inputs(tuple(range(len(inputs))))
        ys = self._function.forward(inputs)
        # A function that returns one of its inputs may write to it, and accounts for that in backward(), as on the
        # host. A retained array of a device would be refused.
        if isinstance(ys, tuple) and any([isinstance(y, cuda.ndarray) and any([y is x for x in inputs]) for y in ys]):
            self._own_inputs = inputs
        return ys

    _own_inputs = None

    def backward(self, target_input_indexes, grad_outputs):
        if self._own_inputs is not None:
            retained, in_data = [x.get_variable() for x in self.inputs], list(self._own_inputs)
        else:
            retained, in_data = self.get_retained_inputs(), [None] * len(self.inputs)
            for i, x in zip(self._input_indexes_to_retain, retained):
                in_data[i] = x.array
        gys = tuple([g.array if isinstance(g, _core.Variable) else g for g in grad_outputs])
        with cuda.get_device_from_array(*(in_data + list(gys))):  # for calls on a node, without a graph
            gxs = self._function.backward(tuple(in_data), gys)
        for i, (x, g) in enumerate(zip(self.inputs, gxs)):
            if g is None:
                continue
            if not isinstance(g, (numpy.ndarray, cuda.ndarray)):
                raise TypeError('{}: the gradient of input {} must be an array, not {}'.format(
                    self.label, i, type(g)))
            if g.dtype != x.dtype:
                raise TypeError('{}: the dtypes of input {} and its gradient differ: {} and {}'.format(
                    self.label, i, x.dtype, g.dtype))
            if g.shape != x.shape:
                raise ValueError('{}: the shapes of input {} and its gradient differ: {} and {}'.format(
                    self.label, i, x.shape, g.shape))
        gxs = [gxs[i] for i in target_input_indexes]
        here = [g for g in gxs if g is not None]
        if configuration.config.enable_backprop and here:
            depends = list(retained) + [g for g in grad_outputs if g is not None]
            made = iter(_Gradient(here, self._function.label).apply(depends))
        else:
            made = iter([_as_variable(g) for g in here])
        return tuple([None if g is None else next(made) for g in gxs])


class Function(object):
    """The old-style function: forward and backward on arrays, no second gradients."""

    _owned_node = None
    _weak_node = None

    def __call__(self, *inputs):
        node = self.node
        if node._node is not None:  # already applied
            node = FunctionAdapter(self)
            self._owned_node = node
        inputs = [_as_variable(x) for x in inputs]
        ret = node.apply(inputs)
        for variables, kept in ((inputs, node._input_indexes_to_retain), (ret, node._output_indexes_to_retain)):
            for i in kept or ():
                if variables[i].requires_grad:
                    variables[i].retain_data()
        self._owned_node = None if any(y.creator_node is not None for y in ret) else node
        return ret[0] if len(ret) == 1 else tuple(ret)

    @property
    def node(self):
        """The node of this function, created at first access."""
        node = self._owned_node or (self._weak_node() if self._weak_node is not None else None)
        if node is None:
            node = FunctionAdapter(self)
            self._owned_node = node
        return node

    @property
    def inputs(self):
        return self.node.inputs

    @property
    def outputs(self):
        return self.node.outputs

    @property
    def output_data(self):
        return self.node.output_data

    @property
    def rank(self):
        return self.node.rank

    @property
    def stack(self):
        return None

    @property
    def label(self):
        return self.__class__.__name__

    @property
    def _impl_name(self):
        return self.__class__.__name__

    @property
    def local_function_hooks(self):
        return self.node.local_function_hooks

    def add_hook(self, hook, name=None):
        self.node.add_hook(hook, name)

    def delete_hook(self, name):
        self.node.delete_hook(name)

    def check_type_forward(self, in_types):
        pass

    def forward(self, inputs):
        if cuda.available and any([isinstance(x, cuda.ndarray) for x in inputs]):
            return self.forward_gpu(inputs)
        return self.forward_cpu(inputs)

    def forward_cpu(self, inputs):
        raise NotImplementedError()

    def forward_gpu(self, inputs):
        raise NotImplementedError()

    def backward(self, inputs, grad_outputs):
        if cuda.available and any([isinstance(x, cuda.ndarray) for x in inputs + grad_outputs]):
            return self.backward_gpu(inputs, grad_outputs)
        return self.backward_cpu(inputs, grad_outputs)

    def backward_cpu(self, inputs, grad_outputs):
        return tuple([None] * len(inputs))

    def backward_gpu(self, inputs, grad_outputs):
        return tuple([None] * len(inputs))

    def retain_inputs(self, indexes):
        self.node.retain_inputs(indexes)

    def retain_outputs(self, indexes, retain_after_backward=False):
        self.node.retain_outputs(indexes)

    def unchain(self):
        self.node.unchain()


def _creator_of(node):
    """Returns the creator to show: the old-style function itself, or the node."""
    return node.function if isinstance(node, FunctionAdapter) else node


def _node_of(creator):
    return creator.node if isinstance(creator, Function) else creator


def _set_creator_node(self, f):
    """Makes a function the creator of a Variable or of a node."""
    (self._set_creator_node if isinstance(self, _core.Variable) else _core_set_creator_node_of_node(self))(f)
    if f is not None:
        if f._rank is not None:
            (self.node if isinstance(self, _core.Variable) else self)._rank = f.rank + 1


_core_node_setter = _core.VariableNode.set_creator_node


def _core_set_creator_node_of_node(node):
    return lambda f: _core_node_setter(node, f)


def _set_creator(self, creator):
    _set_creator_node(self, _node_of(creator))


_core.Variable.creator_node = property(lambda self: self._creator_node(), _set_creator_node)
_core.Variable.creator = property(lambda self: _creator_of(self._creator_node()), _set_creator)
_core.Variable.set_creator_node = _core.VariableNode.set_creator_node = _set_creator_node
_core.Variable.set_creator = _core.VariableNode.set_creator = _set_creator
_core.VariableNode.creator = property(lambda self: _creator_of(self.creator_node), _set_creator)
