# SPDX-License-Identifier: MIT
"""The manual's section "MNIST with a Manual Training Loop", its own loop unchanged; the first losses are printed."""
import os
import sys
import time

import numpy as np

import chainer
from chainer import backend
from chainer import backends
from chainer.backends import cuda
from chainer import Function, FunctionNode, gradient_check, report, training, utils, Variable
from chainer import datasets, initializers, iterators, optimizers, serializers
from chainer import Link, Chain, ChainList
import chainer.functions as F
import chainer.links as L
from chainer.training import extensions
from chainer.dataset import concat_examples
from chainer.backends.cuda import to_cpu
from chainer.datasets import mnist

np.random.seed(0)
max_iteration = int(sys.argv[1]) if len(sys.argv) > 1 else 100
train, test = mnist.get_mnist(withlabel=True, ndim=1)
batchsize = 128
train_iter = iterators.SerialIterator(train, batchsize)
test_iter = iterators.SerialIterator(test, batchsize,
                                     repeat=False, shuffle=False)


class MyNetwork(Chain):

    def __init__(self, n_mid_units=100, n_out=10):
        super(MyNetwork, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_mid_units)
            self.l2 = L.Linear(n_mid_units, n_mid_units)
            self.l3 = L.Linear(n_mid_units, n_out)

    def forward(self, x):
        h = F.relu(self.l1(x))
        h = F.relu(self.l2(h))
        return self.l3(h)


model = MyNetwork()
gpu_id = -1
optimizer = optimizers.MomentumSGD(lr=0.01, momentum=0.9)
optimizer.setup(model)
losses, seconds = [], []
while len(losses) < max_iteration:
    start = time.perf_counter()
    # ----- One iteration of the training loop -----
    train_batch = train_iter.next()
    image_train, target_train = concat_examples(train_batch, gpu_id)

    # Calculate the prediction of the network
    prediction_train = model(image_train)

    # Calculate the loss with softmax_cross_entropy
    loss = F.softmax_cross_entropy(prediction_train, target_train)

    # Calculate the gradients in the network
    model.cleargrads()
    loss.backward()

    # Update all the trainable parameters
    optimizer.update()
    # ----- until here -----
    seconds.append(time.perf_counter() - start)
    losses.append(float(to_cpu(loss.array)))

test_losses = []
test_accuracies = []
while True:
    test_batch = test_iter.next()
    image_test, target_test = concat_examples(test_batch, gpu_id)
    prediction_test = model(image_test)
    loss_test = F.softmax_cross_entropy(prediction_test, target_test)
    test_losses.append(to_cpu(loss_test.array))
    accuracy = F.accuracy(prediction_test, target_test)
    accuracy.to_cpu()
    test_accuracies.append(accuracy.array)
    if test_iter.is_new_epoch:
        test_iter.epoch = 0
        test_iter.current_position = 0
        test_iter.is_new_epoch = False
        test_iter._pushed_position = None
        break
serializers.save_npz(os.path.join(os.environ.get('OUT', '.'), 'my_mnist.model'), model)
other = MyNetwork()
serializers.load_npz(os.path.join(os.environ.get('OUT', '.'), 'my_mnist.model'), other)
assert np.array_equal(other.l1.W.array, model.l1.W.array)
print(' '.join('%.6f' % v for v in losses[:100]))
print('val_loss:{:.04f} val_accuracy:{:.04f}'.format(np.mean(test_losses), np.mean(test_accuracies)))
print('%.1f us an iteration' % (sorted(seconds)[len(seconds) // 2] * 1e6), file=sys.stderr)
