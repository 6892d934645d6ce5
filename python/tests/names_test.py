# SPDX-License-Identifier: MIT
"""Names that scripts import from where the release has them, and what those do that this library needs less of."""
import importlib
import io
import os
import random

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import static_code, static_graph, testing
from chainer.utils import type_check


def listed():
    """The rows of names.txt: a module of the release and its public names, and private ones that libraries import."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'names.txt')) as f:
        return [pytest.param(row.split()[0], row.split()[1:], id=row.split()[0]) for row in f]


@pytest.mark.parametrize('module, names', listed())
def test_names(module, names):
    if 'caffe' in module:
        pytest.importorskip('google.protobuf')
    if module.startswith('chainermn.communicators.'):
        pytest.importorskip('mpi4py')
    m = importlib.import_module(module)
    missing = [n for n in names if not hasattr(m, n)]
    assert not missing, '{} lacks {}'.format(module, ' '.join(missing))


@pytest.mark.parametrize('module, names', [
    ('chainer', '_environment_check _runtime_info _get_link_hooks _backprop_utils array'),
    ('chainer.backends.cuda', 'fuse get_max_workspace_size'),
    ('chainer.distributions.bernoulli', '_bernoulli_log_prob'),
    ('chainer.distributions.utils', '_modified_xlogx'),
    ('chainer.exporters.caffe', 'caffe_pb'),
    ('chainer.functions.activation.lstm', 'numpy cuda function_node type_check _extract_gates'),
    ('chainer.functions.connection.convolution_2d', 'conv _pair'),
    ('chainer.functions.math.average', 'sum_mod broadcast'),
    ('chainer.utils', 'conv_nd')])
def test_other_names(module, names):
    test_names(module, names.split())


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        self.counted = 0
        with self.init_scope():
            self.l = L.Linear(3, 2)

    @static_code
    def count(self):
        self.counted += 1

    @static_graph(verbosity_level=1)
    def forward(self, x):
        self.count()
        return F.relu(self.l(x))


def test_static_graph_gives_the_values_of_a_defined_one():
    model, x = Model(), np.random.randn(4, 3).astype('f')
    for k in range(3):
        y = model(x)
        assert (y.array == F.relu(model.l(x)).array).all()
        model.cleargrads()
        F.sum(y).backward()
        assert model.l.W.grad.any() and model.counted == k + 1
    model.schedule_manager.end_forward()

    class Plain(Model):
        @static_graph
        def forward(self, x):
            return self.l(x)
    assert Plain()(x).shape == (4, 2)
    with pytest.raises(TypeError, match='no option verbosity'):
        static_graph(verbosity=1)


def test_levels_of_libraries_that_are_not_there():
    for ask in (chainer.should_use_cudnn, chainer.should_use_ideep):
        assert ask('==always') is False and ask('>=auto') is False
        with pytest.raises(ValueError):
            ask('auto')
    with chainer.using_config('use_cudnn', 'sometimes'), pytest.raises(ValueError):
        chainer.should_use_cudnn('>=auto')


def test_runtime_info():
    from chainer import _runtime_info
    out = io.StringIO()
    chainer.print_runtime_info(out)
    assert out.getvalue() == str(_runtime_info._get_runtime_info()) and chainer.__version__ in out.getvalue()


def test_shapes_that_broadcast():
    types = type_check.get_types((np.zeros((2, 3)), np.zeros(3), np.zeros(2)), 'x', False)
    type_check.expect_broadcast_shapes(types[0].shape, types[1].shape)
    with pytest.raises(type_check.InvalidType, match=r'x\[2\].shape = \(2,\)'):
        type_check.expect_broadcast_shapes(types[0].shape, types[2].shape)
    with type_check.light_mode:
        assert type_check.in_light_mode() and type_check.prod((2, 3)) == 6
    assert not type_check.in_light_mode()


def test_messages_name_the_function():
    class Function(object):
        label = 'mine'
    with type_check.get_function_check_context(Function()), pytest.raises(type_check.InvalidType, match='in: mine'):
        type_check.expect(type_check.Variable(1, 'a') == 2)


def test_loss_as_an_object():
    from chainer.functions.loss.discriminative_loss import DiscriminativeMarginBasedClusteringLoss
    x, t = np.random.randn(2, 3, 4, 4).astype('f'), np.random.randint(0, 2, (2, 4, 4)).astype('i')
    mine = DiscriminativeMarginBasedClusteringLoss(0.5, 1.5, 3, 2)(x, t)
    theirs = F.discriminative_margin_based_clustering_loss(x, t, 0.5, 1.5, 3, 2)
    assert all([a.array == b.array for a, b in zip(mine, theirs)])


def test_random_numbers_of_tests():
    before = random.random(), np.random.rand()
    testing.random.do_setup()
    first = random.random(), np.random.rand()
    testing.random.do_teardown()
    testing.random.do_setup()
    assert (random.random(), np.random.rand()) == first != before
    testing.random.do_teardown()


def test_requirements_of_tests():
    from chainer.testing import helper
    for text, wanted in (('numpy', True), ('numpy>=1.11', True), ('numpy>=1.11.1,<99', True), ('numpy<1.14', False),
                         ('numpy!=1.11.*', True), ('no_such_package', False), ('numpy==%s' % np.__version__, True),
                         ('numpy~=0.5', False)):
        assert helper._is_there(text) is wanted, text
    assert helper._holds('1.11.3', '==', '1.11.*') and not helper._holds('1.11.3', '!=', '1.11.*')
    assert helper._holds('2.0.0rc1', '>=', '2') and helper._holds('1.4.5', '~=', '1.4.2')
    assert not helper._holds('1.5', '~=', '1.4.2')


def test_parameters_of_a_normal_distribution():
    loc = np.zeros(2, 'f')
    assert sorted(chainer.distributions.Normal(loc, log_scale=loc).params) == ['loc', 'scale']


def test_texts_of_conditions():
    x, y, z = [type_check.Variable(k, name) for k, name in enumerate('xyz', 1)]
    for expression, text in (
            (x ** y ** z, 'x ** y ** z'), ((x ** y) ** z, '(x ** y) ** z'), (x - (y - z), 'x - (y - z)'),
            (x << y, 'x << y'), (x >> y, 'x >> y'), (x & y, 'x & y'), (x | y, 'x | y'), (x ^ y, 'x ^ y'), (~x, '~x'),
            (x['a'], "x['a']"), (x[..., None], 'x[..., None]'), (x(1, y, 'a'), "x(1, y, 'a')")):
        assert str(expression) == text
    assert (x << y).eval() == 4 and (x | z).eval() == 3 and (~x).eval() == -2
    right = type_check.BinaryOperator(7, x - y, x - y, '-', lambda a, b: a, True)
    assert str(type_check.BinaryOperator(4, x - y, x - y, '-', lambda a, b: a, True)) == '(x - y) - x - y'
    assert right.eval() == -1


def test_order_of_a_sparse_matrix():
    row, col, data = np.array([0, 0, 1], 'i'), np.array([0, 1, 0], 'i'), np.ones(3, 'f')
    assert chainer.utils.CooMatrix(data, row, col, (2, 2)).order == 'C'
    assert chainer.utils.CooMatrix(data, col, row, (2, 2)).order == 'F'
    assert chainer.utils.CooMatrix(data, col, row, (2, 2), order='other').order == 'other'
    for shape, order in (((2, 0), None), ((2, 2), 'D')):
        with pytest.raises(ValueError):
            chainer.utils.CooMatrix(data, row, col, shape, order=order)


def test_hooks_that_do_not_say_when():
    optimizer = chainer.optimizers.SGD().setup(L.Linear(2, 2))
    with pytest.warns(UserWarning):
        optimizer.add_hook(lambda o: None, 'nothing')
    assert list(optimizer._pre_update_hooks) == ['nothing']


def test_workspace_size_is_remembered():
    before = chainer.cuda.get_max_workspace_size()
    chainer.cuda.set_max_workspace_size(3)
    assert chainer.cuda.get_max_workspace_size() == 3
    chainer.cuda.set_max_workspace_size(before)
