# SPDX-License-Identifier: MIT
"""Writes tests/data/caffe: models exported by release 5.4.0, and files of the older and the newer format made with its
protobuf messages, with inputs and the release's results, for tests/links/caffe_files_test.cpp.

usage: make_caffe.py FOLDER      (needs the release, see release.py)
"""
import os
import sys

from release import F, L, chainer
import numpy as np
from chainer.exporters import caffe
from chainer.links.caffe import CaffeFunction
from chainer.links.caffe.protobuf3 import caffe_pb2

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
random = np.random.RandomState(0)


def floats(*shape):
    return random.randn(*shape).astype('f')


class Exported(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 4, 3, 1, 1)
            self.bn = L.BatchNormalization(4)
            self.deconv = L.Deconvolution2D(4, 4, 2, 2)
            self.fc = L.Linear(None, 5)

    def forward(self, x):
        h = F.relu(self.bn(self.conv(x)))
        h = F.leaky_relu(self.deconv(h), 0.1)
        h = F.local_response_normalization(h)
        a = F.max_pooling_2d(h, 2, 2)
        b = F.average_pooling_2d(h, 2, 2)
        h = F.concat((F.sigmoid(a), a + b), 1)
        return F.softmax(self.fc(h))


model = Exported()
x = floats(2, 3, 6, 6)
model.bn.avg_mean[...] = floats(4)
model.bn.avg_var[...] = np.abs(floats(4)) + 1
model(x)
caffe.export(model, [chainer.Variable(x)], folder, True, 'release')
os.rename(folder + '/chainer_model.caffemodel', folder + '/exported.caffemodel')
os.remove(folder + '/chainer_model.prototxt')
with chainer.using_config('train', False):
    y = model(x).array
net = caffe_pb2.NetParameter()
net.MergeFromString(open(folder + '/exported.caffemodel', 'rb').read())
values = {'exported_x': x, 'exported_y': y, 'exported_name': np.array(net.layer[-1].top[0])}


def fill(blob, array, old):
    blob.data.extend(array.ravel().tolist())
    if old:
        blob.num, blob.channels, blob.height, blob.width = (1,) * (4 - array.ndim) + array.shape
    else:
        blob.shape.dim.extend(array.shape)


def network(old):
    net = caffe_pb2.NetParameter()
    net.name = 'old' if old else 'new'
    types = {'Convolution': 4, 'ReLU': 18, 'Pooling': 17, 'LRN': 15, 'Concat': 3, 'InnerProduct': 14, 'Softmax': 20,
             'Data': 5, 'Dropout': 6, 'Split': 22, 'Eltwise': 25, 'Slice': 33, 'Deconvolution': 39, 'Sigmoid': 19}

    def add(kind, name, bottom, top, *blobs):
        layer = (net.layers if old else net.layer).add()
        layer.name = name
        layer.type = types[kind] if old else kind
        layer.bottom.extend(bottom)
        layer.top.extend(top)
        for b in blobs:
            fill(layer.blobs.add(), b, old)
        return layer

    add('Data', 'data', [], ['data'])
    p = add('Convolution', 'conv/1', ['data'], ['c'], floats(4, 2, 3, 3), floats(4)).convolution_param
    p.num_output, p.group = 4, 2
    if old:
        p.kernel_h, p.kernel_w, p.pad_h, p.pad_w, p.stride_h, p.stride_w = 3, 3, 1, 0, 1, 2
    else:
        p.kernel_size.append(3), p.pad.append(1), p.stride.append(2)
    add('ReLU', 'relu', ['c'], ['c']).relu_param.negative_slope = 0.25
    p = add('LRN', 'norm', ['c'], ['n']).lrn_param
    p.local_size, p.alpha, p.beta = 3, 0.5, 0.6
    p = add('Pooling', 'pool', ['n'], ['p']).pooling_param
    p.pool, p.kernel_size, p.stride = 1, 2, 1
    add('Split', 'split', ['p'], ['p1', 'p2'])
    p = add('Deconvolution', 'deconv', ['p1'], ['d'], floats(4, 2, 1, 1)).convolution_param
    p.num_output, p.bias_term, p.group = 4, False, 2
    p.kernel_size.append(1)
    p = add('Eltwise', 'sum', ['d', 'p2'], ['e']).eltwise_param
    p.operation = 1
    p.coeff.extend([0.5, -2])
    p = add('Slice', 'slice', ['e'], ['s1', 's2']).slice_param
    p.slice_point.append(1)
    add('Sigmoid', 'sigmoid', ['s1'], ['s1'])
    add('Concat', 'concat', ['s2', 's1'], ['k'])
    add('Dropout', 'drop', ['k'], ['k']).dropout_param.dropout_ratio = 0.3
    if not old:
        add('BatchNorm', 'bn', ['k'], ['k'], floats(4), np.abs(floats(4)) + 1, np.array([2.], dtype='f'))
        p = add('Scale', 'scale', ['k'], ['k'], floats(4), floats(4)).scale_param
        p.bias_term = True
        add('Reshape', 'reshape', ['k'], ['k']).reshape_param.shape.dim.extend([2, -1])
    size = 4 * 5 if old else 4 * 2 * 2
    p = add('InnerProduct', 'fc', ['k'], ['f'], floats(3, size), floats(3)).inner_product_param
    p.num_output = 3
    add('Softmax', 'prob', ['f'], ['prob'])
    return net


x = floats(2, 4, 6, 6)
for old in (True, False):
    name = 'old' if old else 'new'
    net = network(old)
    path = folder + '/' + name + '.caffemodel'
    open(path, 'wb').write(net.SerializeToString())
    func = CaffeFunction(path)
    with chainer.using_config('train', False):
        y, = func({'data': chainer.Variable(x)}, ['prob'])
    values[name + '_x'], values[name + '_y'] = x, y.array
np.savez(folder + '/expected.npz', **values)
