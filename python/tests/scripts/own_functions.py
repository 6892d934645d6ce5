# SPDX-License-Identifier: MIT
"""The manual's functions and links of one's own: MulAdd, ExpAdd, a dropout, EltwiseParamProduct, and a loop with them."""
import numpy as np

import chainer
from chainer import FunctionNode, Function, Link, optimizers
import chainer.functions as F
from chainer import initializers

np.random.seed(0)


class MulAdd(FunctionNode):
    def forward_cpu(self, inputs):
        self.retain_inputs((0, 1))
        x, y, z = inputs
        w = x * y + z
        return w,

    def backward(self, target_input_indexes, grad_outputs):
        x, y = self.get_retained_inputs()
        gw, = grad_outputs
        gx = y * gw
        gy = x * gw
        gz = gw
        return gx, gy, gz


def muladd(x, y, z):
    return MulAdd().apply((x, y, z))[0]


class OldExpAdd(Function):
    def forward(self, inputs):
        x, y = inputs
        return np.exp(x) + np.exp(y),

    def backward(self, inputs, grad_outputs):
        x, y = inputs
        gz, = grad_outputs
        return gz * np.exp(x), gz * np.exp(y)


class Dropout(FunctionNode):
    def forward(self, inputs):
        x, = inputs
        if not chainer.config.train:
            return x,
        self.mask = 2 * (np.random.rand(*x.shape) > 0.5).astype(x.dtype)
        return x * self.mask,

    def backward(self, target_input_indexes, grad_outputs):
        return grad_outputs[0] * self.mask,


class EltwiseParamProduct(Link):
    def __init__(self, shape):
        super(EltwiseParamProduct, self).__init__()
        with self.init_scope():
            self.W = chainer.Parameter(initializers.Normal(scale=1.), shape)

    def __call__(self, x):
        return self.W * x


class LinearLayer(Link):

    def __init__(self, n_in, n_out):
        super(LinearLayer, self).__init__()
        with self.init_scope():
            self.W = chainer.Parameter(
                initializers.Normal(1. / np.sqrt(n_in)), (n_out, n_in))
            self.b = chainer.Parameter(
                0, (n_out,))

    def forward(self, x):
        return F.linear(x, self.W, self.b)


class Net(chainer.Chain):
    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.product = EltwiseParamProduct((1, 8))
            self.l1 = LinearLayer(8, 16)
            self.l2 = LinearLayer(16, 1)

    def forward(self, x, t):
        h = F.tanh(self.l1(self.product(x)))
        h = Dropout().apply((h,))[0]
        h = muladd(h, h, h)
        y = OldExpAdd()(self.l2(h) * 0.1, self.l2(-h) * 0.1)
        return F.mean_squared_error(y, t)


rng = np.random.RandomState(1)
x, t = rng.rand(20, 8).astype('f'), rng.rand(20, 1).astype('f') + 2
model = Net()
optimizer = optimizers.Adam(0.01).setup(model)
optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))
losses = []
for _ in range(100):
    loss = model(x, t)
    model.cleargrads()
    loss.backward()
    optimizer.update()
    losses.append(float(loss.array))
print(' '.join(['%.6f' % v for v in losses]))
