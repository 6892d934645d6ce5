# SPDX-License-Identifier: MIT
"""Initializers, utilities, configuration, testing helpers."""
import io
import warnings

import numpy

import chainer
from chainer import initializers, testing, utils
from chainer.utils import conv, type_check


def initial(r, see):
    shape = r.one((3, 2), (2, 3), (4,), (), (2, 3, 2, 2), (3, 3), (1, 0))
    dtype = r.one(None, 'f', 'd', 'e', numpy.float32, 'i')
    kind = r.one('Identity', 'Constant', 'Zero', 'One', 'NaN', 'Normal', 'LeCunNormal', 'GlorotNormal', 'HeNormal',
                 'Orthogonal', 'Uniform', 'LeCunUniform', 'GlorotUniform', 'HeUniform')
    make = getattr(initializers, kind)
    options = {} if dtype is None else {'dtype': dtype}
    if kind == 'Constant':
        options['fill_value'] = r.one(1.5, r.array(shape), 0)
    elif kind not in ('Zero', 'One', 'NaN') and r.chance(0.5):
        options['scale'] = r.one(0.5, 2)
    if kind == 'HeNormal' and r.chance(0.4):
        options['fan_option'] = r.one('fan_in', 'fan_out', 'none')
    see(kind)
    initializer = make(**options)
    see(initializer.dtype)
    see.attempt(initializers.generate_array, initializer, shape, numpy, *([r.one(None, 'f', 'd')] if r.chance(0.3) else []))
    a = numpy.empty(shape, r.one('f', 'f', 'd', 'e') if dtype in (None, 'i') else dtype)
    see.attempt(initializer, a)
    see(a)


def get_initializer(r, see):
    made = see.attempt(initializers._get_initializer, r.one(None, 1, 0.5, numpy.float32(2), r.array(2), 'x',
                                                            initializers.One(), lambda a: None))
    see(getattr(made, 'dtype', 'none'))


def convolutions(r, see):
    args = [r.int(1, 8), r.int(1, 3), r.int(1, 3), r.int(0, 2)]
    see.attempt(conv.get_conv_outsize, *args, cover_all=r.chance(0.5), d=r.one(1, 2))
    see.attempt(conv.get_deconv_outsize, *args, cover_all=r.chance(0.5), d=r.one(1, 2))
    x = r.array((1, 2, r.int(3, 5), r.int(3, 5)))
    k, s, p, d = r.int(1, 3), r.int(1, 2), r.int(0, 1), r.int(1, 2)
    col = see.attempt(conv.im2col_cpu, x, k, k, s, s, p, p, 0, r.chance(0.5), d, d)
    if col is not None:
        see.attempt(conv.col2im_cpu, col, s, s, p, p, x.shape[2], x.shape[3], d, d)
    from chainer.utils import conv_nd
    see.attempt(conv_nd.im2col_nd_cpu, x, (k, k), (s, s), (p, p), 0, r.chance(0.5))
    see.attempt(conv_nd.as_tuple, r.one(1, (1, 2), [1]), r.int(1, 2))


def types(r, see):
    xs = tuple(r.array(r.shape(0, 3), r.dtype()) for _ in range(r.int(1, 3)))
    t = type_check.get_types(xs, 'in_types', False)
    see.attempt(type_check.expect, t.size() == r.int(1, 3))
    see.attempt(type_check.expect, t[0].ndim == r.int(0, 3), t[0].dtype.kind == 'f')
    see.attempt(type_check.expect, t[0].dtype == r.one(numpy.float32, numpy.float64))
    e = r.one(lambda: t[0].ndim + 1, lambda: t[0].ndim * 2 - 1, lambda: -t[0].ndim, lambda: t[0].ndim // 2,
              lambda: t[0].ndim % 2, lambda: t[0].ndim ** 2, lambda: t[0].shape[0], lambda: t[0].shape[:1],
              lambda: type_check.prod(t[0].shape), lambda: t[0].size)()
    see(str(e))
    see.attempt(e.eval)
    see.attempt(type_check.same_types, *[r.one(numpy.zeros(1), 1, chainer.Variable(numpy.zeros(1)))
                                         for _ in range(2)])
    v = type_check.make_variable(r.int(0, 3), 'v') if hasattr(type_check, 'make_variable') else type_check.Variable(1, 'v')
    see(str(v + 1), str(v != 2))


def sparse(r, see):
    a = r.array((r.int(1, 3), r.int(1, 3)), 'f')
    a[a < 0.5] = 0
    coo = utils.to_coo(a) if hasattr(utils, 'to_coo') else utils.sparse.to_coo(a)
    see(coo.shape, coo.data, coo.row, coo.col, coo.to_dense())
    see.attempt(utils.sparse.to_coo, r.array((1, 2, 2, 2)))
    see.attempt(utils.sparse.get_order, coo.row, coo.col) if hasattr(utils.sparse, 'get_order') else None


def arguments(r, see):
    from chainer.utils import argument
    kwargs = r.one({}, {'a': 1}, {'b': 2}, {'c': 3})
    see.attempt(argument.parse_kwargs, dict(kwargs), ('a', 5), ('b', 6), c='c is gone')
    see.attempt(argument.check_unexpected_kwargs, dict(kwargs), b='b is gone')
    see.attempt(argument.assert_kwargs_empty, dict(kwargs))


def shapes(r, see):
    see(utils.force_array(r.one(1.5, r.array(2)), r.one(None, 'f')))
    see.attempt(utils.force_type, numpy.dtype('f'), r.one(1, 2.5, numpy.float64(1), numpy.zeros(2)))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        utils.experimental('x.y')
    see([w.category.__name__ for w in seen])


def configured(r, see):
    config = chainer.config
    for _ in range(3):
        key = r.one('train', 'enable_backprop', 'dtype', 'type_check', 'mine', 'debug')
        value = r.one(True, False, numpy.dtype('d')) if key != 'dtype' else numpy.dtype('d')
        with chainer.using_config(key, value):
            see(getattr(config, key))
            text = io.StringIO()
            config.show(text)
            see(key in text.getvalue())
        see(hasattr(config, key))
    with chainer.no_backprop_mode():
        see(config.enable_backprop)
        with chainer.force_backprop_mode():
            see(config.enable_backprop)
    see(chainer.get_dtype(r.one(None, 'd', numpy.float16)))
    see.attempt(chainer.get_dtype, r.one('none', None, 'f'))
    see.attempt(getattr, config, 'no_such_entry')
    see.attempt(delattr, config, 'no_such_entry')


def helpers(r, see):
    p = testing.product({'a': [1, 2], 'b': ['x']})
    see(p, testing.product_dict(p, [{'c': 3}]))
    a, b = r.array(3), r.array(3)
    see.attempt(testing.assert_allclose, a, r.one(a, b, a + 1e-9), r.one(1e-5, 10), 1e-4)
    see(testing.shaped_random((2, 3)).dtype.name if hasattr(testing, 'shaped_random') else 'none')
    see(chainer.is_arrays_compatible([a, r.one(b, None, 1)]), chainer.backend.get_array_module(a) is numpy)
    see.attempt(chainer.backends.cuda.to_cpu, r.one(a, 1, None, [a]))
    see.attempt(chainer.backends.cuda.to_gpu, a)
    see(chainer.backends.cuda.available)
    dst = numpy.zeros(3, 'f')
    see.attempt(chainer.backend.copyto, dst, a)
    see(dst)
