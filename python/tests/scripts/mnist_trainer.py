# SPDX-License-Identifier: MIT
"""The manual's section "MNIST using Trainer", with losses of each iteration. OUT is the folder for results."""
import os
import tempfile

import numpy as np

import chainer
from chainer import Chain, iterators, optimizers, training
import chainer.functions as F
import chainer.links as L
from chainer.training import extensions

np.random.seed(0)
rng = np.random.RandomState(1)
# Ten blurred shapes of 784 points instead of the pictures, which are not everywhere.
centres = rng.rand(10, 784).astype('f')


def examples(count):
    labels = rng.randint(0, 10, count).astype('i')
    images = np.clip(centres[labels] + 0.8 * rng.randn(count, 784), 0, 1).astype('f')
    return chainer.datasets.TupleDataset(images, labels)


train, test = examples(1280), examples(256)
batchsize = 128

train_iter = iterators.SerialIterator(train, batchsize)
test_iter = iterators.SerialIterator(test, batchsize, False, False)


class MLP(Chain):

    def __init__(self, n_mid_units=100, n_out=10):
        super(MLP, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_mid_units)
            self.l2 = L.Linear(None, n_mid_units)
            self.l3 = L.Linear(None, n_out)

    def forward(self, x):
        h1 = F.relu(self.l1(x))
        h2 = F.relu(self.l2(h1))
        return self.l3(h2)


gpu_id = -1  # Set to -1 if you use CPU

model = MLP()
if gpu_id >= 0:
    model.to_gpu(gpu_id)

max_epoch = 10

# Wrap your model by Classifier and include the process of loss calculation within your model.
# Since we do not specify a loss function here, the default 'softmax_cross_entropy' is used.
model = L.Classifier(model)

# selection of your optimizing method
optimizer = optimizers.MomentumSGD()

# Give the optimizer a reference to the model
optimizer.setup(model)

# Get an updater that uses the Iterator and Optimizer
updater = training.updaters.StandardUpdater(train_iter, optimizer, device=gpu_id)

# Setup a Trainer
trainer = training.Trainer(updater, (max_epoch, 'epoch'), out=os.environ.get('OUT') or tempfile.mkdtemp())

trainer.extend(extensions.LogReport())
trainer.extend(extensions.snapshot(filename='snapshot_epoch-{}'.format(updater.epoch)))
trainer.extend(extensions.snapshot_object(model.predictor, filename='model_epoch-{}'.format(updater.epoch)))
trainer.extend(extensions.Evaluator(test_iter, model, device=gpu_id))
trainer.extend(extensions.dump_graph('main/loss'))
losses = []
trainer.extend(lambda t: losses.append(float(t.observation['main/loss'].array)), name='losses')
trainer.run()
log = trainer.get_extension('LogReport').log
print(' '.join(['%.6f' % v for v in losses + [e['validation/main/loss'] for e in log]]))
