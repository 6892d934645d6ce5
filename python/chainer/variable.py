# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import copy
import warnings
import weakref

import numpy

from chainer import _core
from chainer import initializers
from chainer.backends import cuda
from chainer.initializers import constant

Variable = _core.Variable
VariableNode = _core.VariableNode
Variable.__module__ = VariableNode.__module__ = __name__


def as_variable(obj):
    """Returns a Variable unchanged; an array is converted to a Variable without gradient."""
    return obj if isinstance(obj, Variable) else Variable(obj, requires_grad=False)


def _check_grad_type(func, x, gx):
    if x.array is None or gx is None:
        return
    if not isinstance(gx, type(x.array)):
        raise TypeError('Type of data and grad mismatch: {} != {}'.format(type(x.array), type(gx)))
    if gx.dtype != x.dtype:
        raise TypeError('Dtype of data and grad mismatch: {} != {}'.format(x.dtype, gx.dtype))
    if gx.shape != x.shape:
        raise ValueError('Shape of data and grad mismatch: {} != {}'.format(x.shape, gx.shape))


def _text(self, prefix, array_text):
    name = self.name
    head = prefix if not name else '%s %s' % (prefix, name)
    if self.array is None:
        return head + '(None)'
    body = array_text(self.array, head + '(')
    return '%s(%s)' % (head, body)


def _repr(self):
    def text(a, head):
        if a.size == 0:
            return '[]' if a.shape == (0,) else '[], shape=%s' % (a.shape,)
        return numpy.array2string(cuda.to_cpu(a), None, None, None, ', ', head)
    return _text(self, 'variable', text)


def _str(self):
    return _text(self, 'variable', lambda a, head: numpy.array2string(
        cuda.to_cpu(a), None, None, None, ' ', head) if a.size else '[]')


def variable_repr(var):
    """Returns the text of repr(): the array in NumPy's format with commas, and the name."""
    return _repr(var)


def variable_str(var):
    """Returns the text of str()."""
    return _str(var)


def _summary(self):
    if self.name:
        return '<variable %s>' % self.name
    return '<variable at 0x%x>' % id(self)


def _debug_print(self):
    """Returns lines with summary, device, shape, dtype and statistics of data and gradient."""
    if self.array is None:
        names = ('device', 'backend', 'shape', 'dtype', 'statistics', 'grad')
        return '\n'.join([self.summary()] + ['- %s: None' % n for n in names])
    device = 'CPU' if self._device_id < 0 else self.array.device
    lines = [self.summary(), '- device: %s' % device, '- backend: %s' % type(self.array), '- shape: %s' % (self.shape,)]
    lines.append('- dtype: %s' % self.dtype)
    lines.append('- statistics: mean={:.8f}, std={:.8f}'.format(float(self.array.mean()), float(self.array.std())))
    g = self.grad
    if g is None:
        lines.append('- grad: None')
    elif (g == 0).all():
        lines.append('- grad: 0')
    else:
        lines.append('- grad: mean={:.8f}, std={:.8f}'.format(float(g.mean()), float(g.std())))
    return '\n'.join(lines)


def _reshape(self, *shape):
    """Returns a Variable with another shape; one length may be -1."""
    import chainer
    if len(shape) == 1:
        shape = shape[0]
    return chainer.functions.reshape(self, shape)


def _transpose(self, *axes):
    """Returns a Variable with permuted axes."""
    import chainer
    if len(axes) == 0:
        axes = None
    elif len(axes) == 1 and (isinstance(axes[0], (tuple, list)) or axes[0] is None):
        axes = axes[0]
    return chainer.functions.transpose(self, axes)


def _zerograd(self):
    warnings.warn('Variable.zerograd is deprecated. Use Variable.cleargrad instead.', DeprecationWarning, stacklevel=2)
    gradient = self.grad_var
    if gradient is None or self.array is None:
        return _core_zerograd(self)
    gradient.unchain()
    gradient.array.fill(0)


def _copydata(self, var):
    """Copies the elements of another Variable into this one; an uninitialized one takes the other's shape first."""
    if var.array is None:
        if self.array is not None and isinstance(var, Parameter):
            var.initialize(self.shape)
        else:
            return
    if self.array is None:
        self.initialize(var.shape)
    if self._device_id == var._device_id:
        _core_copydata(self, var)
    else:
        self.array[...] = var.array if self._device_id >= 0 else var.array.get()


def _addgrad(self, var):
    """Adds another Variable's gradient to this one's."""
    if var.grad is None:
        return
    if self.array is None and isinstance(self, Parameter):
        self.initialize(var.shape)
        self.cleargrad()
    if self.array is not None and self.dtype != var.dtype:
        var = Variable(self.xp.empty_like(self.array), grad=var.grad.astype(self.dtype))
    if self._device_id != var._device_id and self.array is not None:
        grad = _moved(var.grad, self._device_id)
        var = Variable(self.xp.empty_like(grad), grad=grad)
    _core_addgrad(self, var)


def _moved(array, device_id):
    return cuda.to_cpu(array) if device_id < 0 else cuda.to_gpu(array, device_id)


def _reduce(self):
    return _rebuild, (type(self), self.array, self.grad, self.name, self.requires_grad)


def _rebuild(cls, array, grad, name, requires_grad):
    return cls(array, name=name, grad=grad, requires_grad=requires_grad)


def _copy(self):
    """Returns a Variable with the same array and gradient and a separate node."""
    return Variable(self.array, name=self.name, grad=self.grad, requires_grad=self.requires_grad)


def _deepcopy(self, memo):
    v = _rebuild(type(self), copy.deepcopy(self.array, memo), copy.deepcopy(self.grad, memo), self.name,
                 self.requires_grad)
    memo[id(self)] = v
    return v


def _to_cpu(self):
    """Copies the array and the gradient to the host."""
    if self._device_id >= 0:
        self._to_device(-1)


def _to_gpu(self, device=None):
    """Copies the array and the gradient to a device, by default the current one."""
    cuda.check_cuda_available()
    self._to_device(int(cuda.Device(device)))


def _to_intel64(self):
    from chainer.backends import intel64
    intel64.check_ideep_available()


_core_zerograd, _core_copydata, _core_addgrad = Variable.zerograd, Variable.copydata, Variable.addgrad
for _name, _value in dict(
        __repr__=_repr, __str__=_str, summary=_summary, debug_print=_debug_print, reshape=_reshape,
        transpose=_transpose, zerograd=_zerograd, copydata=_copydata, addgrad=_addgrad, __reduce__=_reduce,
        __copy__=_copy,
        __deepcopy__=_deepcopy, to_cpu=_to_cpu, to_gpu=_to_gpu, to_intel64=_to_intel64,
        T=property(lambda self: self.transpose()), xp=property(cuda.get_array_module),
        _node=property(lambda self: self.node), _data=property(lambda self: [self.array]),
        __array_priority__=200).items():
    setattr(Variable, _name, _value)
VariableNode.data = property(lambda self: self._retained if self._retained is not None else self.get_variable().array)


class Parameter(Variable):
    """A Variable owned by a link and updated by an optimizer. Without a shape it is uninitialized until
    initialize()."""

    initializer = None
    _grad_initializer = None
    _initial_device = -1  # of initialize()
    _family = None  # weak references to the copies, which initialize() also initializes

    def __init__(self, initializer=None, shape=None, name=None):
        if initializer is None:
            initializer = constant.NaN()
        elif numpy.isscalar(initializer):
            initializer = constant.Constant(initializer)
        grad = None
        if shape is None:
            if isinstance(initializer, (numpy.ndarray, cuda.ndarray)):
                data = initializer
            else:
                data = None
                dtype = getattr(initializer, 'dtype', None)
                self._grad_initializer = constant.NaN(dtype)
        else:
            xp = numpy
            if isinstance(initializer, (numpy.ndarray, cuda.ndarray)):
                xp = cuda.get_array_module(initializer)
                initializer = constant.Constant(initializer)
            data = initializers.generate_array(initializer, shape, xp)
            grad = xp.full_like(data, numpy.nan)
        super(Parameter, self).__init__(data)
        if shape is not None:
            self._own()
        self._given_name = name
        if data is not None and name is not None:
            Variable.name.__set__(self, name)
        if grad is not None:
            self.grad = grad
        self.update_rule = None
        self.initializer = initializer

    @property
    def name(self):
        return self._given_name

    @name.setter
    def name(self, name):
        self._given_name = name
        if self._has_array:
            Variable.name.__set__(self, name)

    @property
    def is_initialized(self):
        return self._has_array

    @property
    def dtype(self):
        if not self._has_array:
            dtype = getattr(self.initializer, 'dtype', None)
            return None if dtype is None else numpy.dtype(dtype)
        return Variable.dtype.__get__(self)

    def __copy__(self):
        copied = type(self).__new__(type(self))
        Variable.__init__(copied)
        copied.__dict__.update(self.__dict__)
        if self.array is not None:
            copied._become(Variable(self.array, name=self.name, grad=self.grad))
        if self._family is None:
            self._family = copied._family = [weakref.ref(self)]
        self._family[:] = [ref for ref in self._family if ref() is not None] + [weakref.ref(copied)]
        return copied

    def __deepcopy__(self, memo):
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        array = self.array
        # Parameters that share an array (Link.copy() makes them) share one in the copy, too.
        there = None if array is None else memo.get(id(array))
        Variable.__init__(copied, copy.deepcopy(array, memo) if there is None else there)
        if there is None and array is not None:
            copied._own()
            memo[id(array)] = copied.array
        for k, v in self.__dict__.items():
            copied.__dict__[k] = None if k == '_family' else copy.deepcopy(v, memo)
        if self.array is not None:
            copied.name = self._given_name
            copied.grad = copy.deepcopy(self.grad, memo)
        return copied

    def __reduce__(self):
        return _recover_parameter, (
            self.array, self.name, self.grad, self.initializer, self.update_rule)

    def to_cpu(self):
        """Copies the array and the gradient to the host, or makes initialize() create them there."""
        self._leave_family(-1)
        self._initial_device = -1
        super(Parameter, self).to_cpu()

    def to_gpu(self, device=None):
        """Copies the array and the gradient to a device, or makes initialize() create them there."""
        cuda.check_cuda_available()
        device = int(cuda.Device(device))
        self._leave_family(device)
        self._initial_device = device
        super(Parameter, self).to_gpu(self._initial_device)

    def _leave_family(self, device):
        """Separates an uninitialized parameter that moves to another device from its copies."""
        if self._family is not None and not self._has_array and device != self._initial_device:
            self._family[:] = [ref for ref in self._family if ref() is not self]
            self._family = None

    def cleargrad(self):
        super(Parameter, self).cleargrad()
        if not self._has_array:
            self._grad_initializer = None

    def zerograd(self):
        super(Parameter, self).zerograd()
        if not self._has_array:
            self._grad_initializer = constant.Zero(getattr(self.initializer, 'dtype', None))

    def initialize(self, shape):
        """Creates the array, and the gradient if it was requested before."""
        xp = numpy if self._initial_device < 0 else cuda.cupy
        grad = None
        with cuda.get_device_from_id(self._initial_device):
            data = initializers.generate_array(self.initializer, shape, xp)
            if self._grad_initializer is not None:
                grad = xp.empty_like(data)
                self._grad_initializer(grad)
        made = Variable(data, grad=grad, name=self._given_name)
        made._own()
        self._become(made)
        data = made.array if self._family else None
        for ref in self._family or ():
            other = ref()
            if other is not None and other is not self:
                kept = grad if other.array is None else other.grad
                other._become(Variable(data, grad=kept, name=other._given_name))

    def update(self):
        """Updates the array from the gradient by the update rule."""
        if self.update_rule is not None:
            self.update_rule.update(self)


def _recover_parameter(data, name, grad, initializer, update_rule):
    p = Parameter(initializer=initializer, name=name)
    if data is not None:
        p._become(Variable(data, name=name, grad=grad))
    p.update_rule = update_rule
    return p
