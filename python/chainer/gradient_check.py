# SPDX-License-Identifier: MIT
"""Gradients by finite differences, and comparisons of functions' gradients with them."""

import warnings

import numpy

from chainer import configuration
from chainer import testing
from chainer import variable
from chainer.backends import cuda
from chainer.function_node import FunctionNode


class NondifferentiableError(Exception):
    """Raised if the function is not differentiable at the point."""


def _copy_arrays(xs):
    return [None if x is None else numpy.array(_on_host(x), order='C') for x in xs]


def _on_host(x):
    return x.get() if isinstance(x, cuda.ndarray) else x


def _copied(x):
    return cuda.copy(x) if isinstance(x, cuda.ndarray) else numpy.array(x)


def _moved(x, step, dtype):
    """Returns x + step in a dtype, computed in float64."""
    return cuda.like(numpy.asarray(cuda.to_cpu(x).astype(numpy.float64) + step, dtype), x)


def numerical_grad(f, inputs, grad_outputs, eps=1e-3, detect_nondifferentiable=False, diff_atol=0, diff_rtol=1e-2,
                   center_outputs=None):
    """Returns the gradients of f, which reads `inputs`, by central differences, summed in float64.

    With detect_nondifferentiable a quadratic is fitted to five values; a large residual raises a
    NondifferentiableError."""
    if not eps > 0:
        raise AssertionError('eps must be positive, not {}'.format(eps))
    arrays = tuple(inputs) + tuple(grad_outputs)
    if all([any([isinstance(a, kind) for a in arrays]) for kind in (numpy.ndarray, cuda.ndarray)]):
        raise RuntimeError('numerical_grad: arrays on the host and on a device are mixed')
    for x in inputs:
        if x.dtype.kind != 'f':
            raise ValueError('The dtype of input arrays must be kind of float')
    inputs, grad_outputs = tuple(inputs), tuple([None if g is None else _on_host(g) for g in grad_outputs])
    grads = [numpy.zeros(x.shape, numpy.float64) for x in inputs]
    if detect_nondifferentiable:
        if center_outputs is None:
            center = _copy_arrays(f())
        else:
            center = center_outputs
        places = (-1., -.5, 0., .5, 1.)
    else:
        center = None
        places = (-1., 1.)
    with configuration.using_config('type_check', False):
        for x, gx in zip(inputs, grads):
            for at in numpy.ndindex(x.shape):
                original = x[at].get() if isinstance(x, cuda.ndarray) else x[at]
                values, steps = [], []
                for p in places:
                    if p == 0:
                        values.append(center)
                        steps.append(0.)
                        continue
                    x[at] = original + eps * p
                    steps.append(float(x[at]) - float(original))
                    values.append(_copy_arrays(f()))
                x[at] = original
                if detect_nondifferentiable:
                    _check_smooth(values, steps, at, diff_atol, diff_rtol, eps)
                gx[at] = _difference(values[0], values[-1], grad_outputs, eps)
    return [cuda.like(g.astype(x.dtype, copy=False), x) for g, x in zip(grads, inputs)]


def _difference(low, high, grad_outputs, eps):
    total = 0.
    for y0, y1, gy in zip(low, high, grad_outputs):
        if gy is not None and y0 is not None:
            total += numpy.sum((numpy.asarray(y1, numpy.float64) - y0) * gy)
    return total / (2. * eps)


def _check_smooth(values, steps, at, atol, rtol, eps):
    xs = numpy.array(steps, numpy.float64) / eps
    for n, ys in enumerate(zip(*values)):
        if any([y is None for y in ys]):
            continue
        y = numpy.array([numpy.asarray(v, numpy.float64).ravel() for v in ys])
        finite = numpy.isfinite(y).all(axis=0)
        if not finite.all():
            # Elements whose values are all NaN are outside the function's domain.
            mixed = ~finite & numpy.isfinite(y).any(axis=0)
            if mixed.any():
                raise NondifferentiableError('Non-differentiable: values are finite on one side of {} only'.format(at))
        y = y[:, finite]
        if y.shape[1] == 0:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            _, (residuals, _, _, _) = numpy.polynomial.polynomial.polyfit(xs, y, deg=2, full=True)
        if residuals.size == 0:
            continue
        error = numpy.sqrt(residuals / len(xs))
        spread = y.max(axis=0) - y.min(axis=0)
        if not numpy.all(error <= atol + rtol * spread + 1e-10 * numpy.abs(y).max(axis=0)):
            worst = numpy.argmax(error - rtol * spread)
            raise NondifferentiableError(
                'Non-differentiable: output {} at input element {}: values {} at steps {} differ from a quadratic by '
                '{}, their spread is {}'.format(n, at, y[:, worst], xs * eps, error[worst], spread[worst]))


def assert_allclose(x, y, atol=1e-5, rtol=1e-4, verbose=True):
    """An older name of chainer.testing.assert_allclose."""
    warnings.warn('chainer.gradient_check.assert_allclose is deprecated. Use chainer.testing.assert_allclose instead.',
                  DeprecationWarning)
    testing.assert_allclose(x, y, atol, rtol, verbose)


def _as_tuple(x):
    if isinstance(x, tuple):
        return x
    if isinstance(x, list):
        return tuple(x)
    return x,


class _Identity(FunctionNode):
    """An identity that makes all outputs results of one function."""

    def forward(self, inputs):
        return inputs

    def backward(self, indexes, grad_outputs):
        return tuple([grad_outputs[i] for i in indexes])


def _filtered(xs, no_grads):
    return [x for x, skip in zip(xs, no_grads) if not skip]


def _grad_or_zeros(x):
    return variable.Variable(x.xp.zeros_like(x.array)) if x.grad is None else x.grad_var


class _Checker(object):
    def __init__(self, func, x_data, y_grad, params, eps, atol, rtol, no_grads, dtype, detect_nondifferentiable):
        if dtype is not None and numpy.dtype(dtype).kind != 'f':
            raise ValueError('`dtype` is allowed only float type')
        self.func = func
        self.x_data = _as_tuple(x_data)
        self.y_grad = None if y_grad is None else _as_tuple(y_grad)
        self.params = _as_tuple(params)
        self.eps, self.atol, self.rtol, self.dtype = eps, atol, rtol, dtype
        self.detect = detect_nondifferentiable
        if no_grads is None:
            self.no_grads = [x.dtype.kind != 'f' for x in self.x_data]
        else:
            if len(no_grads) != len(self.x_data):
                raise ValueError('Length of no_grads param and xs should be same.\nActual: {0} != {1}'.format(
                    len(no_grads), len(self.x_data)))
            self.no_grads = no_grads

    def run(self):
        xs = [variable.Variable(_copied(x)) if x.dtype.kind == 'f' else
              variable.Variable(_copied(x), requires_grad=False) for x in self.x_data]
        ys = _as_tuple(self.func(*xs))
        for p in self.params:
            p.cleargrad()
        self.backward(ys)
        for skip, x in zip(self.no_grads, xs):
            if skip:
                if x.grad is not None:
                    raise RuntimeError('gradient of int variable must be None')
        if len(xs) - sum(self.no_grads) + len(self.params) == 0:
            return
        self.compare(xs)

    def backward(self, ys):
        y_grad = self.y_grad
        if y_grad is not None:
            if len(ys) != len(y_grad):
                raise ValueError('`y_grad` must have the same length of output values')
            for y, gy in zip(ys, y_grad):
                if gy is not None and (gy.shape != y.shape or gy.dtype != y.dtype):
                    raise ValueError('Shape or dtype of the output and its gradient differ: {} {} and {} {}'.format(
                        y.shape, y.dtype, gy.shape, gy.dtype))
        else:
            if len(ys) != 1:
                raise ValueError('Function outputs are not a single variable: y_grad is needed')
            y_grad = (ys[0].xp.ones_like(ys[0].array),)
        self.y_grad = y_grad
        live = [(y, g) for y, g in zip(ys, y_grad) if g is not None]
        if not live:
            raise ValueError('y_grad has no array')
        out = _Identity().apply([y for y, _ in live])
        for y, (_, g) in zip(out, live):
            y.grad = _copied(g)
        out[0].backward()

    def compare(self, xs):
        variables = _filtered(xs, self.no_grads) + list(self.params)
        grads = [v.grad for v in variables]
        # A direction in the space of all inputs, of length eps.
        directions = [numpy.random.normal(size=v.shape) for v in variables]
        norm = numpy.sqrt(sum([numpy.sum(d * d) for d in directions]))
        if norm == 0:
            return
        scale = 1. / norm
        directions = [d * scale for d in directions]
        # Small components are increased, so that each input contributes.
        directions = [numpy.sign(d) * numpy.maximum(numpy.abs(d), 0.1 / max(1, sum([v.size for v in variables])))
                      for d in directions]
        dtype = self.dtype
        casted = [x.array if x.dtype.kind != 'f' or dtype is None else x.array.astype(dtype, copy=False) for x in xs]
        delta = numpy.array(0., numpy.float64 if dtype is None else dtype).astype(numpy.float64)
        kept = [p.array for p in self.params]

        def g():
            d = float(delta)
            rest = iter(directions)
            inputs = []
            for x, skip in zip(casted, self.no_grads):
                if skip:
                    inputs.append(variable.Variable(x, requires_grad=False) if x.dtype.kind != 'f'
                                  else variable.Variable(x))
                else:
                    inputs.append(variable.Variable(_moved(x, d * next(rest), x.dtype)))
            for p, a in zip(self.params, kept):
                t = a.dtype if dtype is None else numpy.dtype(dtype)
                p.array = _moved(a, d * next(rest), t)
            try:
                ys = _as_tuple(self.func(*inputs))
                return tuple([y.array for y in ys])
            finally:
                for p, a in zip(self.params, kept):
                    p.array = a

        center = None
        if self.detect:
            center = _copy_arrays(g())
        try:
            gx, = numerical_grad(g, (delta,), [_on_host(gy) for gy in self.y_grad], eps=self.eps,
                                 detect_nondifferentiable=self.detect, center_outputs=center)
        except NondifferentiableError as e:
            raise NondifferentiableError(
                'check_backward: the function is not differentiable at the point.\n\n{}'.format(e))
        expected = 0.
        for d, grad in zip(directions, grads):
            if grad is not None:
                expected += float(numpy.sum(d * cuda.to_cpu(grad).astype(numpy.float64)))
        try:
            testing.assert_allclose(gx, expected, atol=self.atol, rtol=self.rtol)
        except AssertionError as e:
            raise AssertionError('check_backward failed (eps={} atol={} rtol={})\ninputs: {}\nnumeric: {}\n'
                                 'backward: {}\n\n{}'.format(self.eps, self.atol, self.rtol, [
                                     (x.shape, str(x.dtype)) for x in xs], gx, expected, e))


def check_backward(func, x_data, y_grad, params=(), eps=1e-3, atol=1e-5, rtol=1e-4, no_grads=None, dtype=None,
                   detect_nondifferentiable=False):
    """Raises AssertionError unless the gradients of func at x_data agree with finite differences in a random
    direction."""
    _Checker(func, x_data, y_grad, params, eps, atol, rtol, no_grads, dtype, detect_nondifferentiable).run()


def check_double_backward(func, x_data, y_grad, x_grad_grad, params=(), params_grad_grad=(), eps=1e-3, atol=1e-4,
                          rtol=1e-3, no_grads=None, dtype=None, detect_nondifferentiable=False):
    """Like check_backward() for the gradients, as functions of the inputs and the gradients of the outputs."""
    x_data, y_grad = _as_tuple(x_data), _as_tuple(y_grad)
    x_grad_grad, params, params_grad_grad = _as_tuple(x_grad_grad), _as_tuple(params), _as_tuple(params_grad_grad)
    n_x = len(x_data)
    no_gys = [g is None for g in y_grad]
    gys = tuple([g for g in y_grad if g is not None])

    def first_order_grad(*inputs):
        xs, gs = inputs[:n_x], iter(inputs[n_x:])
        ys = _as_tuple(func(*xs))
        live = [(y, next(gs)) for y, none in zip(ys, no_gys) if not none]
        # Gradients are set on an identity after the outputs, because outputs may also be inputs.
        out = _Identity().apply([y for y, _ in live])
        for y, (_, g) in zip(out, live):
            y.grad_var = g
        for p in params:
            p.cleargrad()
        out[0].backward(enable_double_backprop=True)
        grads = []
        skips = no_grads if no_grads is not None else [x.dtype.kind != 'f' for x in xs]
        for x, skip in zip(xs, skips):
            if skip:
                if x.grad is not None:
                    raise RuntimeError('gradient of int variable must be None')
            else:
                grads.append(_grad_or_zeros(x))
                x.cleargrad()
        for p in params:
            grads.append(_grad_or_zeros(p))
            p.cleargrad()
        return tuple(grads)

    inputs = x_data + gys
    grad_grad = tuple([g for g in x_grad_grad if g is not None]) + params_grad_grad
    all_no_grads = None if no_grads is None else list(no_grads) + [False] * len(gys)
    with configuration.using_config('enable_backprop', True):
        try:
            check_backward(first_order_grad, inputs, grad_grad, params=params, eps=eps, atol=atol, rtol=rtol,
                           no_grads=all_no_grads, dtype=dtype, detect_nondifferentiable=detect_nondifferentiable)
        except AssertionError as e:
            raise AssertionError('check_double_backward failed (eps={} atol={} rtol={})\n\n{}'.format(
                eps, atol, rtol, e))
