# SPDX-License-Identifier: MIT
import unittest

import numpy

import chainer
from chainer.testing.array import assert_allclose
from chainer.testing import attr
from chainer.testing import condition
from chainer.testing import parameterized


def is_available():
    """Returns true: the tests need NumPy only."""
    return True


def check_available():
    """Does nothing: the tests need NumPy only."""


def _decorated(cls, func, make_data, func_expected, forward_options, backward_options, double_backward_options,
               is_linear):
    from chainer import gradient_check

    def set_up(self):
        self.x, self.gy, self.ggx = make_data(self.shape, self.dtype)
        if self.dtype == numpy.float16:
            self.forward_options = dict(dict(atol=1e-3, rtol=1e-3), **forward_options)
            self.backward_options = dict(dict(eps=1e-3, atol=1e-2, rtol=1e-2, dtype=numpy.float64),
                                         **backward_options)
            self.double_backward_options = dict(dict(eps=1e-3, atol=1e-2, rtol=1e-2, dtype=numpy.float64),
                                                **double_backward_options)
        else:
            self.forward_options = dict(dict(atol=1e-4, rtol=1e-4), **forward_options)
            self.backward_options = dict(dict(eps=1e-3, atol=1e-4, rtol=1e-4, dtype=numpy.float64),
                                         **backward_options)
            self.double_backward_options = dict(dict(eps=1e-3, atol=1e-4, rtol=1e-4, dtype=numpy.float64),
                                                **double_backward_options)

    def test_forward_cpu(self):
        y = func(chainer.Variable(self.x))
        self.assertEqual(self.x.dtype, y.array.dtype)
        assert_allclose(func_expected(self.x, dtype=self.x.dtype), y.array, **self.forward_options)

    def test_backward_cpu(self):
        gradient_check.check_backward(func, self.x, self.gy, **self.backward_options)

    def test_double_backward_cpu(self):
        f = (lambda x: func(x) * func(x)) if is_linear else func
        gradient_check.check_double_backward(f, self.x, self.gy, self.ggx, **self.double_backward_options)

    cls.setUp = set_up
    cls.test_forward_cpu = test_forward_cpu
    cls.test_backward_cpu = test_backward_cpu
    cls.test_double_backward_cpu = condition.retry(3)(test_double_backward_cpu)
    for name in ('forward', 'backward', 'double_backward'):
        def on_gpu(self):
            raise unittest.SkipTest('a GPU is needed')
        on_gpu.__name__ = 'test_%s_gpu' % name
        setattr(cls, on_gpu.__name__, attr.gpu(on_gpu))
    parameterized.make_cases(cls, parameterized.product({
        'shape': [(3, 2), ()], 'dtype': [numpy.float16, numpy.float32, numpy.float64]}),
        __import__('sys').modules[cls.__module__])


def _make_data_default(shape, dtype):
    x = numpy.random.uniform(-1, 1, shape).astype(dtype, copy=False)
    gy = numpy.random.uniform(-1, 1, shape).astype(dtype, copy=False)
    ggx = numpy.random.uniform(-1, 1, shape).astype(dtype, copy=False)
    return x, gy, ggx


def unary_math_function_unittest(func, func_expected=None, label_expected=None, make_data=None, is_linear=None,
                                 forward_options=None, backward_options=None, double_backward_options=None):
    """Makes the tests of an elementwise function of one array: its values and two orders of gradients."""
    if is_linear is None:
        is_linear = False
    if func_expected is None:
        name = getattr(func, '__name__', type(func).__name__.lower())
        expected = getattr(numpy, name, None)
        if expected is None:
            raise ValueError('NumPy has no corresponding function for {}.'.format(name))

        def func_expected(x, dtype):
            return numpy.asarray(expected(x)).astype(dtype)
    if make_data is None:
        make_data = _make_data_default

    def decorate(cls):
        if label_expected is not None:
            def test_label(self):
                y = func(chainer.Variable(numpy.ones((1,), 'f')))
                self.assertEqual(y.creator.label, label_expected)
            cls.test_label = test_label
        _decorated(cls, func, make_data, func_expected, forward_options or {}, backward_options or {},
                   double_backward_options or {}, is_linear)
        return None
    return decorate
