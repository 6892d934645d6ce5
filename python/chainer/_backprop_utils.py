# SPDX-License-Identifier: MIT
"""Parts of a backward pass over functions, for programs that walk graphs themselves. (Variable.backward() and
chainer.grad() run in C++.)"""
import collections

from chainer import configuration
from chainer.function_node import FunctionNode


class GradTable(object):
    """Lists of gradients that are not summed yet, by variable node.

    With load_if_new, a node that is asked for the first time begins with its own gradient."""

    def __init__(self, load_if_new=False):
        self.grads = {}
        self._load_if_new = load_if_new

    def __setitem__(self, node, grad):
        assert node is not None
        self.grads[node] = _pure(grad)

    def get_as_list(self, node):
        """The list of the node's gradients, which the caller may extend."""
        assert node is not None
        if node not in self.grads:
            own = node.grad_var if self._load_if_new and node.creator_node is None else None
            self.grads[node] = _pure(own)
        return self.grads[node]

    def pop(self, node):
        """Removes a node; returns the sum of its gradients, or None."""
        if node is None:
            return None
        found = self.grads.pop(node, None)
        if found is not None:
            return _reduce(found)
        return node.grad_var if self._load_if_new else None

    def assert_no_grads(self):
        for found in self.grads.values():
            assert found == []


def _pure(grad):
    return [] if grad is None else [grad]


def _pop_or_none(grad_list):
    return grad_list.pop() if grad_list else None


def _reduce(grad_list):
    """Replaces the gradients of a list by their sum, and returns it; None for an empty list."""
    if not grad_list:
        return None
    if len(grad_list) > 1:
        total = grad_list[0]
        for g in grad_list[1:]:
            total = total + g
        grad_list[:] = [total]
    return grad_list[0]


def _accumulates(func):
    return isinstance(func, FunctionNode) and \
        getattr(type(func), 'backward_accumulate', None) is not FunctionNode.backward_accumulate and \
        type(func).__module__ != 'chainer._core'


def backprop_step(func, target_input_indexes, grad_outputs, grad_inputs):
    """Runs the backward of one function and adds the gradients to the lists of its inputs in `grad_inputs`."""
    if _accumulates(func):
        lists = [grad_inputs[func.inputs[i]] for i in target_input_indexes]
        seen, given = set(), []
        for found in lists:  # of the inputs that are one variable, the first one has its gradient
            given.append(None if id(found) in seen else _reduce(found))
            seen.add(id(found))
        gxs = func.backward_accumulate(target_input_indexes, grad_outputs, tuple(given))
        for found in lists:
            del found[:]
    else:
        gxs = func.backward(target_input_indexes, grad_outputs)
        if len(gxs) == len(func.inputs):
            gxs = tuple([gxs[i] for i in target_input_indexes])
        elif len(gxs) != len(target_input_indexes):
            raise ValueError('number of gradients returned by %s (%s) is incorrect.' % (
                func._impl_name if hasattr(func, '_impl_name') else type(func).__name__, func.label))
    touched = collections.OrderedDict()
    for i, gx in zip(target_input_indexes, gxs):
        if gx is not None:
            found = grad_inputs[func.inputs[i]]
            found.append(gx)
            touched[id(found)] = found
    lazy = configuration.config.lazy_grad_sum or getattr(func, 'lazy_grad_sum', False)
    if not lazy:
        for found in touched.values():
            _reduce(found)

