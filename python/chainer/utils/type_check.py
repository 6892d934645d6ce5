# SPDX-License-Identifier: MIT
"""Conditions on dtypes and shapes of a function's inputs.

A check first runs on plain values. If a condition fails, the check runs again on expressions that record how they
were computed, for the message."""
import contextlib
import operator
import threading

import numpy

_mode = threading.local()


class InvalidType(Exception):
    """Raised for inputs with wrong dtypes or shapes."""

    def __init__(self, expect, actual, msg=None):
        if msg is None:
            msg = 'Expect: {0}\nActual: {1}'.format(expect, actual)
            function = getattr(_mode, 'function', None)
            if function is not None:
                msg = '\nInvalid operation is performed in: {0} (Forward)\n\n{1}'.format(function.label, msg)
        super(InvalidType, self).__init__(msg)
        self.expect = expect
        self.actual = actual

    def __reduce__(self):
        msg, = self.args
        return type(self), (self.expect, self.actual, msg)


class InvalidAxis(InvalidType, ValueError, IndexError):
    """Raised for a missing axis; derives from all classes that functions of the release raise."""


class InvalidSize(InvalidType, ValueError, AssertionError, RuntimeError):
    """Raised for a size or shape without output; derives from all classes that functions of the release raise."""


class InvalidStep(InvalidSize, ZeroDivisionError):
    """Raised for a nonpositive stride, window or dilation; derives from all classes that the release raises."""


class InvalidIndex(ValueError, IndexError):
    """Raised for an index out of range: a ValueError in the release's debug mode, otherwise NumPy's IndexError."""


class InvalidEllipsis(ValueError, IndexError):
    """Raised for several ellipses in an index; derives from the classes of the release's debug and normal mode."""


class _Failed(Exception):
    pass


def in_light_mode():
    return getattr(_mode, 'light', False)


class LightMode(object):
    """A scope in which conditions are plain values."""

    def __enter__(self):
        _mode.light = True

    def __exit__(self, *info):
        _mode.light = False


light_mode = LightMode()


@contextlib.contextmanager
def get_function_check_context(f):
    """A scope in which the messages of InvalidType name a function."""
    outer = getattr(_mode, 'function', None)
    _mode.function = f
    try:
        yield
    finally:
        _mode.function = outer


class TypeInfo(object):
    """The dtype and the shape of an array."""

    def __init__(self, shape, dtype):
        self.shape = shape
        self.dtype = dtype
        self.ndim = len(shape)

    @property
    def size(self):
        return _product(self.shape)


class TypeInfoTuple(tuple):
    """The types of the inputs, as expressions."""

    name = None

    def size(self):
        return Variable(len(self), '{0}.size'.format(self.name))

    def __getitem__(self, i):
        return tuple.__getitem__(self, i)


class LightTypeInfoTuple(tuple):
    """The types of the inputs, as plain values."""

    def size(self):
        return len(self)


def get_light_types(data):
    assert isinstance(data, tuple)
    return LightTypeInfoTuple([TypeInfo(x.shape, x.dtype) for x in data])


def get_types(data, name, accept_none):
    assert isinstance(data, tuple)
    info = TypeInfoTuple([_get_type(name, i, x, accept_none) for i, x in enumerate(data)])
    info.name = name
    return info


def _get_type(name, index, array, accept_none):
    var = '{0}[{1}]'.format(name, index)
    if accept_none and array is None:
        return Variable(TypeInfo((), None), var)
    return Variable(TypeInfo(array.shape, array.dtype), var)


class Expr(object):
    """An expression that records its text. Operations on it and its attributes are expressions."""

    def __init__(self, priority):
        self.priority = priority

    def eval(self):
        raise NotImplementedError()

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return GetAttr(self, name)

    def __getitem__(self, key):
        return GetItem(self, key)

    def __call__(self, *args):
        return Call(self, args)

    def __bool__(self):
        raise RuntimeError('An expression of a type check is not convertible to bool: use type_check.expect or '
                           'type_check.eval')

    __nonzero__ = __bool__
    __hash__ = None


class Atom(Expr):
    def __init__(self):
        super(Atom, self).__init__(8)


class Constant(Atom):
    def __init__(self, value):
        super(Constant, self).__init__()
        self.value = value

    def __str__(self):
        return '...' if self.value is Ellipsis else str(self.value)

    def eval(self):
        return self.value


class Variable(Atom):
    """A named value."""

    def __init__(self, value, name):
        super(Variable, self).__init__()
        self.value, self.name = value, name

    def __str__(self):
        return self.name

    def eval(self):
        return self.value


class GetAttr(Atom):
    def __init__(self, obj, name):
        super(GetAttr, self).__init__()
        self.obj, self.name = obj, name

    def __str__(self):
        return '{0}.{1}'.format(_wrap(self.obj, 8), self.name)

    def eval(self):
        return getattr(self.obj.eval(), eval(self.name))


class GetItem(Atom):
    def __init__(self, obj, key):
        super(GetItem, self).__init__()
        self.obj, self.key = obj, key

    def __str__(self):
        key = self.key
        if isinstance(key, slice):
            text = ':'.join(['' if k is None else str(k) for k in (key.start, key.stop)])
            text += '' if key.step is None else ':' + str(key.step)
        elif isinstance(key, tuple):
            text = ', '.join([_key_text(k) for k in key])
        else:
            text = _key_text(key)
        return '{0}[{1}]'.format(self.obj, text)

    def eval(self):
        return self.obj.eval()[eval(self.key)]


def _key_text(key):
    """Returns the source text of an index or an argument."""
    if isinstance(key, Constant):
        key = key.value
    return '...' if key is Ellipsis else repr(key) if isinstance(key, str) else str(key)


class Call(Atom):
    def __init__(self, obj, args):
        super(Call, self).__init__()
        self.obj, self.args = obj, args

    def __str__(self):
        return '{0}({1})'.format(self.obj, ', '.join([_key_text(a) for a in self.args]))

    def eval(self):
        return self.obj.eval()(*[eval(a) for a in self.args])


class UnaryOperator(Expr):
    def __init__(self, priority, term, exp, func):
        super(UnaryOperator, self).__init__(priority)
        self.term, self.text, self.exp, self.func = term, exp, exp, func

    def eval(self):
        return self.func(self.term.eval())

    def __str__(self):
        return self.text + _wrap(self.term, self.priority)


class BinaryOperator(Expr):
    def __init__(self, priority, lhs, rhs, exp, func, right_associative=False):
        super(BinaryOperator, self).__init__(priority)
        self.lhs, self.rhs, self.text, self.exp, self.func = lhs, rhs, exp, exp, func
        self.right_associative = right_associative

    def eval(self):
        return self.func(eval(self.lhs), eval(self.rhs))

    def __str__(self):
        right = self.right_associative
        return '{0} {1} {2}'.format(_wrap(self.lhs, self.priority, right), self.text,
                                    _wrap(self.rhs, self.priority, not right))


class Testable(object):
    """Base of the conditions that expect() evaluates."""

    def expect(self):
        raise NotImplementedError()


class BoolExpr(BinaryOperator, Testable):
    """A comparison that expect() evaluates."""

    _negations = {'==': '!=', '!=': '==', '<': '>=', '<=': '>', '>': '<=', '>=': '<'}

    def expect(self):
        left, right = eval(self.lhs), eval(self.rhs)
        if not self.func(left, right):
            raise InvalidType(str(self), '{0} {1} {2}'.format(left, self._negations[self.text], right))


class BoolBinaryOperator(BoolExpr):
    """An older comparison class, constructed with the text of the opposite operator."""

    def __init__(self, lhs, rhs, exp, inv, func):
        super(BoolBinaryOperator, self).__init__(1, lhs, rhs, exp, func)
        self._negations = {exp: inv}


def _wrap(e, priority, right=False):
    mine = e.priority if isinstance(e, Expr) else 9
    return '({0})'.format(e) if mine < priority or right and mine == priority else str(e)


def eval(exp):
    """Returns the value of an expression; other objects unchanged."""
    if isinstance(exp, Expr):
        return exp.eval()
    if isinstance(exp, tuple):
        return tuple([eval(e) for e in exp])
    return exp


def _as_expr(x):
    return x if isinstance(x, Expr) else Constant(x)


def _binary(priority, text, func, cls=BinaryOperator, *more):
    return (lambda a, b: cls(priority, a, _as_expr(b), text, func, *more)), \
           (lambda a, b: cls(priority, _as_expr(b), a, text, func, *more))


def _same(a, b):
    return a == b


for _name, _priority, _text, _func in (
        ('add', 4, '+', operator.add), ('sub', 4, '-', operator.sub), ('mul', 5, '*', operator.mul),
        ('truediv', 5, '/', operator.truediv), ('floordiv', 5, '//', operator.floordiv), ('mod', 5, '%', operator.mod),
        ('lshift', 3, '<<', operator.lshift), ('rshift', 3, '>>', operator.rshift), ('and', 2, '&', operator.and_),
        ('xor', 1, '^', operator.xor), ('or', 0, '|', operator.or_), ('pow', 7, '**', operator.pow)):
    _left, _right = _binary(_priority, _text, _func, BinaryOperator, _name == 'pow')
    setattr(Expr, '__%s__' % _name, _left)
    setattr(Expr, '__r%s__' % _name, _right)
for _name, _text in (('eq', '=='), ('ne', '!='), ('lt', '<'), ('le', '<='), ('gt', '>'), ('ge', '>=')):
    setattr(Expr, '__%s__' % _name, _binary(1, _text, getattr(operator, _name), BoolExpr)[0])
Expr.__neg__ = lambda self: UnaryOperator(6, self, '-', operator.neg)
Expr.__invert__ = lambda self: UnaryOperator(6, self, '~', operator.invert)


def expect(*bool_exprs):
    """Raises InvalidType for the first condition that is false."""
    if in_light_mode():
        for e in bool_exprs:
            if not e:
                raise _Failed()
        return
    for e in bool_exprs:
        if isinstance(e, BoolExpr):
            e.expect()
        elif isinstance(e, Expr):
            if not e.eval():
                raise InvalidType(str(e), 'False')
        elif not e:
            raise InvalidType('True', 'False')


def same_types(*arrays):
    """Returns True if all arrays are of NumPy, or all are on a device."""
    from chainer.backends import cuda
    return any([all([isinstance(x, t) for x in arrays]) for t in (numpy.ndarray, cuda.ndarray)])


def expect_broadcast_shapes(*shape_types):
    """Raises InvalidType unless the shapes can be broadcast to a common shape."""
    shapes = [tuple(eval(s)) for s in shape_types]
    try:
        numpy.broadcast(*[numpy.empty(s + (0,), numpy.bool_) for s in shapes])
    except ValueError:
        if in_light_mode():
            raise _Failed()
        lines = ['cannot broadcast inputs of the following shapes:']
        raise InvalidType('', '', '\n'.join(lines + ['{} = {}'.format(t, s) for t, s in zip(shape_types, shapes)]))


def argname(in_types, names):
    """Sets the names of types in messages, and checks their number."""
    if len(in_types) != len(names):
        raise InvalidType('{} argument(s)'.format(len(names)), '{} argument(s)'.format(len(in_types)))
    if not in_light_mode():
        for t, name in zip(in_types, names):
            if isinstance(t, Variable):
                t.name = name


_argname = argname


def make_variable(value, name):
    return value if in_light_mode() else Variable(value, name)


def light_variable(value, name):
    return value


def _product(values):
    size = 1
    for v in values:
        size *= v
    return size


def prod(xs):
    """Returns the product of the lengths of a shape."""
    if in_light_mode():
        return _product(xs)
    return Call(Constant(_Named('prod', _product)), (xs,))


class _Named(object):
    def __init__(self, name, f):
        self.name, self.f = name, f

    def __str__(self):
        return self.name

    def __call__(self, *args):
        return self.f(*args)


def check(label, conditions, in_data):
    """Runs conditions(types); its InvalidType names the function."""
    _mode.light = True
    try:
        conditions(get_light_types(in_data))
        return
    except _Failed:
        pass
    except (AttributeError, TypeError):  # e.g. a condition joined from expressions
        pass
    finally:
        _mode.light = False
    try:
        conditions(get_types(in_data, 'in_types', False))
    except InvalidType as e:
        raise InvalidType(e.expect, e.actual, 'Invalid operation is performed in: {0} (Forward)\n\nExpect: {1}\n'
                          'Actual: {2}'.format(label, e.expect, e.actual)) from None
