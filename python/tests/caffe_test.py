# SPDX-License-Identifier: MIT
"""Networks of Caffe: files of the release, messages, options that are not supported, export."""
import os
import pickle

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer.exporters import caffe
from chainer.links.caffe import CaffeFunction

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tests', 'data', 'caffe')


def has_protobuf():
    try:
        chainer._core.caffe.read_net(os.path.join(DATA, 'new.caffemodel'))
    except RuntimeError as e:
        assert 'protobuf' in str(e)
        return False
    return True


pytestmark = pytest.mark.skipif(not has_protobuf(), reason='the library is built without protobuf')


@pytest.mark.parametrize('name', ['old', 'new', 'exported'])
def test_files_of_the_release(name):
    with np.load(os.path.join(DATA, 'expected.npz')) as expected:
        x, y = expected[name + '_x'], expected[name + '_y']
        blob = str(expected['exported_name']) if name == 'exported' else 'prob'
    net = CaffeFunction(os.path.join(DATA, name + '.caffemodel'))
    for f in (net, pickle.loads(pickle.dumps(net)), net.copy()):
        with chainer.using_config('train', False):
            found, = f(inputs={'data': chainer.Variable(x)}, outputs=[blob])
        np.testing.assert_allclose(found.array, y, rtol=1e-4, atol=1e-6)
    assert blob in net.variables and net.layers[-1][2] == [blob]
    assert sorted(net.forwards) == sorted([layer[0] for layer in net.layers])
    with pytest.raises(ValueError, match='train argument is not supported'):
        net({'data': x}, ['prob'], train=False)


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 4, (3, 2), 1, 1)
            self.bn = L.BatchNormalization(4)
            self.up = L.Deconvolution2D(4, 2, 2, 2)
            self.fc = L.Linear(None, 5)

    def forward(self, x):
        h = F.leaky_relu(self.up(F.relu(self.bn(self.conv(x)))), 0.1)
        h = F.concat((F.max_pooling_2d(h, 2, 2), F.average_pooling_2d(h, 2, 2)), 1)
        return F.softmax(self.fc(F.sigmoid(h)))


def test_export_and_import(tmp_path):
    model, x = Model(), np.random.RandomState(0).randn(2, 3, 6, 5).astype('f')
    model(x)
    caffe.export(model, [chainer.Variable(x)], tmp_path, True, 'name')
    assert sorted(os.listdir(tmp_path)) == ['chainer_model.caffemodel', 'chainer_model.prototxt']
    assert (tmp_path / 'chainer_model.prototxt').read_text().startswith('name: "name"')
    net = CaffeFunction(tmp_path / 'chainer_model.caffemodel')
    with chainer.using_config('train', False):
        y, = net({'data': x}, [net.layers[-1][2][0]])
        np.testing.assert_allclose(y.array, model(x).array, rtol=1e-4, atol=1e-6)
        assert net({'data': x}, ['data'], disable=[net.layers[0][0]])[0] is x
    F.sum(y * y).backward()
    assert all([p.grad is not None for p in net.params()])


def test_export_without_a_folder_and_errors():
    x = chainer.Variable(np.zeros((1, 3), 'f'))
    caffe.export(lambda v: F.relu(v), (x,))
    for args, error in (((x, x), NotImplementedError), (x, TypeError), ((x.array,), TypeError)):
        with pytest.raises(error):
            caffe.export(F.relu, args)
    with pytest.raises(ValueError, match='tanh|Tanh'):
        caffe.export(F.tanh, (x,))
    with pytest.raises(TypeError, match='not a Variable'):
        caffe.export(lambda v: [v.array], (x,))


def written(path, *layers):
    from chainer.links.caffe.caffe_function import caffe_pb
    net = caffe_pb.NetParameter()
    for options in layers:
        layer = net.layer.add(name='l1', type=options.pop('type'), bottom=options.pop('bottom', ['x']),
                              top=options.pop('top', ['y']))
        for values, shape in options.pop('blobs', ()):
            layer.blobs.add(data=values, shape=caffe_pb.BlobShape(dim=shape))
        for name, fields in options.items():
            for key, value in fields.items():
                part = getattr(layer, name)
                if isinstance(value, list):
                    getattr(part, key).extend(value)
                else:
                    setattr(part, key, value)
    (path / 'net').write_bytes(net.SerializeToString())
    return CaffeFunction(str(path / 'net'))


def test_layers_of_messages(tmp_path):
    pytest.importorskip('google.protobuf')
    from chainer.links.caffe.protobuf3 import caffe_pb2
    assert caffe_pb2.TEST == 1 and caffe_pb2.PoolingParameter.AVE == 1
    assert caffe_pb2.LRNParameter().local_size == 5 and caffe_pb2.BatchNormParameter().moving_average_fraction != 0
    x, y = [chainer.Variable(np.random.RandomState(i).randn(2, 4, 3, 3).astype('f')) for i in range(2)]

    def result(options, *xs, **kwargs):
        names = ['x%d' % i for i in range(len(xs))]
        net = written(tmp_path, dict(options, bottom=names))
        tops = options.get('top', ['y'])
        return [v.array for v in net(dict(zip(names, xs)), tops, **kwargs)]
    a, b = x.array, y.array
    np.testing.assert_allclose(result({'type': 'Eltwise', 'eltwise_param': {'operation': 0}}, x, y)[0], a * b)
    np.testing.assert_allclose(result({'type': 'Eltwise', 'eltwise_param': {'coeff': [2, 3]}}, x, y)[0], 2 * a + 3 * b,
                               rtol=1e-5)
    np.testing.assert_allclose(result({'type': 'Eltwise', 'eltwise_param': {'operation': 2}}, x, y)[0],
                               np.maximum(a, b))
    with pytest.raises(AssertionError):
        result({'type': 'Eltwise', 'eltwise_param': {'coeff': [2]}}, x, y)
    parts = result({'type': 'Slice', 'top': ['a', 'b'], 'slice_param': {'slice_point': [1]}}, x)
    assert [v.shape[1] for v in parts] == [1, 3]
    np.testing.assert_allclose(result({'type': 'Pooling', 'pooling_param': {'pool': 1, 'global_pooling': True}}, x)[0],
                               a.mean((2, 3), keepdims=True), rtol=1e-5)
    reshape = {'type': 'Reshape', 'reshape_param': {'axis': 1, 'num_axes': 2}}
    from chainer.links.caffe.caffe_function import _reshape_axes
    assert written(tmp_path, reshape).forwards['l1'].func is _reshape_axes
    assert _reshape_axes(x, [-1, 0], 1, 2).shape == (2, 4, 3, 3) and _reshape_axes(x, [-1], -3, -1).shape == (2, 4, 9)
    scale = {'type': 'Scale', 'blobs': [(range(4), [4]), (range(4), [4])], 'scale_param': {'bias_term': True}}
    np.testing.assert_allclose(result(scale, x)[0], (a + 1) * np.arange(4).reshape(4, 1, 1), rtol=1e-4, atol=1e-5)
    factor = chainer.Variable(np.arange(4, dtype='f'))
    given = {'type': 'Scale', 'blobs': [(range(4), [4])], 'scale_param': {'bias_term': True}}
    np.testing.assert_allclose(result(given, x, factor)[0], (a + 1) * np.arange(4).reshape(4, 1, 1), rtol=1e-4,
                               atol=1e-5)
    filters = {'type': 'Convolution', 'blobs': [(range(12), [6, 2, 1, 1]), (range(6), [6])],
               'convolution_param': {'group': 2, 'kernel_size': [1]}}
    W = np.zeros((6, 4), 'f')
    W[:3, :2], W[3:, 2:] = np.arange(6).reshape(3, 2), np.arange(6, 12).reshape(3, 2)
    expected = np.einsum('ij,njhw->nihw', W, a) + np.arange(6).reshape(6, 1, 1)
    np.testing.assert_allclose(result(filters, x)[0], expected, rtol=1e-4, atol=1e-4)
    loss = {'type': 'SoftmaxWithLoss'}
    t = chainer.Variable(np.array([1, 3], 'i'))
    np.testing.assert_allclose(result(loss, x[:, :, 0, 0], t)[0], F.softmax_cross_entropy(x[:, :, 0, 0], t).array)
    assert written(tmp_path, {'type': 'Split', 'top': ['y', 'z']}).split_map == {'y': 'x', 'z': 'x'}
    assert written(tmp_path, {'type': 'Data', 'bottom': [], 'top': []}).layers == []
    with pytest.warns(UserWarning, match='is left out'):
        written(tmp_path, {'type': 'Power'})


@pytest.mark.parametrize('options', [
    {'type': 'InnerProduct', 'inner_product_param': {'axis': 0}},
    {'type': 'Convolution', 'convolution_param': {'axis': 2}},
    {'type': 'SoftmaxWithLoss', 'loss_param': {'normalization': 3}},
    {'type': 'InnerProduct', 'blobs': [((), [2, 3, 4, 5, 6])]},
    {'type': 'LRN', 'lrn_param': {'norm_region': 1}}, {'type': 'Pooling', 'pooling_param': {'pool': 2}},
    {'type': 'Softmax', 'softmax_param': {'axis': 0}}, {'type': 'SoftmaxWithLoss', 'softmax_param': {'axis': 0}}])
def test_options_that_are_not_supported(options, tmp_path):
    pytest.importorskip('google.protobuf')
    with pytest.raises(RuntimeError):
        written(tmp_path, dict(options))


def test_damaged_files(tmp_path):
    (tmp_path / 'net').write_bytes(b'\xa2\x06\xff\xff\x01')
    with pytest.raises(OSError, match='damaged'):
        CaffeFunction(str(tmp_path / 'net'))
    with pytest.raises(OSError):
        CaffeFunction(str(tmp_path / 'missing'))
