# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import abc
import collections
import weakref

import numpy

from chainer import _core
from chainer import configuration
from chainer.backends import cuda
from chainer.utils import type_check


def _as_variable(x):
    return x if isinstance(x, _core.Variable) else _core.Variable(x, requires_grad=False)


def _check_compatible(variables, name, which):
    if len({x._device_id >= 0 for x in variables if x._has_array}) > 1:
        raise TypeError('incompatible array types are mixed in the forward {} ({}).\nActual: {}'.format(
            which, name, ', '.join([str(type(x.array)) for x in variables])))


class _Gone(object):
    pass


_gone = weakref.ref(_Gone())  # of nodes that no longer exist


class FunctionNode(metaclass=abc.ABCMeta):
    """Base of functions written in Python: forward on arrays, backward on Variables. An instance is applied once.

    While a graph holds the function, its state is in the C++ node _node."""

    stack = None
    _rank = None
    _node = None
    _local_function_hooks = None
    _input_indexes_to_retain = None
    _output_indexes_to_retain = None
    _retained_output_data = None
    lazy_grad_sum = False
    _library = False  # whether it stands for a function of the library

    @classmethod
    def _of_node(cls, node):
        """Returns the object that stands for a function of the library."""
        self = cls.__new__(cls)
        self._node, self._library = node, True
        return self

    def __getattr__(self, name):
        """Attributes of the library's functions, described by C++ when the first is read."""
        if self._library and name[:2] != '__' and '_described' not in self.__dict__:
            from chainer.functions import _nodes
            self._described = True
            self.__dict__.update(_nodes.attributes(type(self).__name__, self._node))
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError('{!r} object has no attribute {!r}'.format(type(self).__name__, name))

    _given_inputs = None

    @property
    def inputs(self):
        return self._given_inputs if self._node is None else self._node.inputs

    @inputs.setter
    def inputs(self, nodes):
        self._given_inputs = nodes

    @property
    def outputs(self):
        if self._node is None:
            return None
        if self._library and self._node.inputs is None:
            return None
        return tuple([_gone if n is None else weakref.ref(n) for n in self._node._outputs])

    @property
    def rank(self):
        if self._rank is not None:
            return self._rank
        return 0 if self._node is None else self._node.rank

    @rank.setter
    def rank(self, rank):
        self._rank = rank

    @property
    def label(self):
        return self.__class__.__name__

    @property
    def _impl_name(self):
        return self.__class__.__name__

    @property
    def output_data(self):
        """The arrays of the retained outputs, None for the others."""
        if self._node is None or not self._node.alive or self._output_indexes_to_retain is None:
            return None
        data = [None] * len(self._node._outputs)
        for i, y in zip(self._output_indexes_to_retain, self.get_retained_outputs()):
            data[i] = y.array
        return tuple(data)

    @property
    def local_function_hooks(self):
        if self._local_function_hooks is None:
            self._local_function_hooks = collections.OrderedDict()
        return self._local_function_hooks

    @property
    def _n_local_function_hooks(self):
        return len(self._local_function_hooks or ())

    def __call__(self, *args, **kwargs):
        raise NotImplementedError('a FunctionNode is applied by apply(), not called')

    def apply(self, inputs):
        """The outputs, as a tuple of Variables."""
        variables = [_as_variable(x) for x in inputs]
        if cuda.available:
            _check_compatible(variables, self._impl_name, 'input')
        if configuration.config.type_check:
            # Only shapes and dtypes are read: a look at an array would end deferred evaluation and recordings.
            self._check_data_type_forward(tuple([x if x._has_array else x.array for x in variables]))
        outputs = _core.apply(self, variables)
        if cuda.available:
            _check_compatible(outputs, self._impl_name, 'output')
        return outputs

    def _accumulates(self):
        return type(self).backward_accumulate is not FunctionNode.backward_accumulate

    def _add_local_hooks(self):
        for name, hook in (self._local_function_hooks or {}).items():
            _core.add_hook(self, hook, name)

    def _check_data_type_forward(self, in_data):
        if getattr(self.check_type_forward, '__func__', None) is FunctionNode.check_type_forward:
            return
        type_check.check(self._impl_name, self.check_type_forward, in_data)

    def check_type_forward(self, in_types):
        """Conditions on the inputs' dtypes and shapes, with type_check.expect()."""

    def forward(self, inputs):
        if cuda.available and any([isinstance(x, cuda.ndarray) for x in inputs]):
            return self.forward_gpu(inputs)
        return self.forward_cpu(inputs)

    def forward_cpu(self, inputs):
        raise NotImplementedError

    def forward_gpu(self, inputs):
        raise NotImplementedError

    def retain_inputs(self, indexes):
        self._input_indexes_to_retain = indexes

    def retain_outputs(self, indexes):
        self._output_indexes_to_retain = indexes

    def backward(self, target_input_indexes, grad_outputs):
        return (None,) * len(target_input_indexes)

    def backward_accumulate(self, target_input_indexes, grad_outputs, grad_inputs):
        gxs = self.backward(target_input_indexes, grad_outputs)
        if len(gxs) == len(self.inputs):
            gxs = [gxs[i] for i in target_input_indexes]
        elif len(gxs) != len(target_input_indexes):
            raise ValueError('number of gradients returned by {} is incorrect: {}'.format(self._impl_name, len(gxs)))
        return tuple([g if old is None else old if g is None else g + old for g, old in zip(gxs, grad_inputs)])

    def get_retained_inputs(self):
        return () if self._node is None else self._node.get_retained_inputs()

    def get_retained_outputs(self):
        return () if self._node is None else self._node.get_retained_outputs()

    def unchain(self):
        """Disconnects the outputs from this function and drops its inputs."""
        if self._node is not None:
            self._node.unchain()

    def add_hook(self, hook, name=None):
        if not isinstance(hook, _hook_class()):
            raise TypeError('Hook must be of type FunctionHook')
        name = hook.name if name is None else name
        if name in self.local_function_hooks:
            raise KeyError('Hook %s already exists' % name)
        self.local_function_hooks[name] = hook
        hook.added(self)
        if self._node is not None and self._node.alive:
            _core.add_hook(self, hook, name)

    def delete_hook(self, name):
        if name not in self.local_function_hooks:
            raise KeyError('Hook %s does not exist' % name)
        self.local_function_hooks[name].deleted(self)
        del self.local_function_hooks[name]
        if self._node is not None and self._node.alive:
            _core.delete_hook(self, name)


def _hook_class():
    from chainer.function_hook import FunctionHook
    return FunctionHook


def grad(outputs, inputs, grad_outputs=None, grad_inputs=None, set_grad=False, retain_grad=False,
         enable_double_backprop=False, loss_scale=None):
    """Returns the gradients of outputs with respect to inputs, along the paths between them only."""
    for name, value in (('outputs', outputs), ('inputs', inputs), ('grad_outputs', grad_outputs),
                        ('grad_inputs', grad_inputs)):
        if value is not None and not isinstance(value, (tuple, list)):
            raise TypeError('{} must be a tuple or a list, not {}.'.format(name, type(value)))
    ys = list(outputs)
    if grad_outputs is not None:
        grad_outputs = [None if g is None else _as_variable(g) for g in grad_outputs]
        # Gradients are converted to their variable's dtype; the release keeps the given dtype.
        if len(grad_outputs) == len(ys):
            grad_outputs = [g if g is None or g.dtype == y.dtype else _core.functions.cast(g, y.dtype)
                            for y, g in zip(ys, grad_outputs)]
    if grad_inputs is not None:
        grad_inputs = [None if g is None else _as_variable(g) for g in grad_inputs]
    return _core.grad(ys, list(inputs), grad_outputs, grad_inputs, set_grad, retain_grad, enable_double_backprop,
                      loss_scale)


def as_array(x):
    if isinstance(x, _core.Variable):
        return x.array
    return x if isinstance(x, cuda.ndarray) else numpy.asarray(x)


def __getattr__(name):
    if name == 'static_forward_optimizations':
        from chainer.graph_optimizations.static_graph_utilities import static_forward_optimizations
        return static_forward_optimizations
    raise AttributeError('module {} has no attribute {!r}'.format(__name__, name))
