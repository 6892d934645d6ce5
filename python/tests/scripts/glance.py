# SPDX-License-Identifier: MIT
"""The manual's "Chainer at a Glance": mushrooms from a table of letters, with a Sequential and a trainer.

The split has a seed here, for without one the release takes another each time."""
import os
import tempfile

import numpy as np

import chainer as ch
from chainer import datasets
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions

np.random.seed(0)
out = tempfile.mkdtemp()
rng = np.random.RandomState(1)
with open(os.path.join(out, 'mushrooms.csv'), 'w') as f:
    f.write(','.join(['c%d' % i for i in range(23)]) + '\n')
    for _ in range(700):
        row = rng.randint(0, 5, 22)
        f.write(','.join(['pe'[int(row[3] + row[7] > 4)]] + list(np.array(list('abcde'))[row])) + '\n')

data_array = np.genfromtxt(
    os.path.join(out, 'mushrooms.csv'), delimiter=',', dtype=str, skip_header=1)
for col in range(data_array.shape[1]):
    data_array[:, col] = np.unique(data_array[:, col], return_inverse=True)[1]

X = data_array[:, 1:].astype(np.float32)
Y = data_array[:, 0].astype(np.int32)[:, None]
train, test = datasets.split_dataset_random(
    datasets.TupleDataset(X, Y), int(data_array.shape[0] * .7), seed=0)

train_iter = ch.iterators.SerialIterator(train, 100)
test_iter = ch.iterators.SerialIterator(
    test, 100, repeat=False, shuffle=False)


# Network definition
def MLP(n_units, n_out):
    layer = ch.Sequential(L.Linear(n_units), F.relu)
    model = layer.repeat(2)
    model.append(L.Linear(n_out))

    return model


model = L.Classifier(
    MLP(44, 1), lossfun=F.sigmoid_cross_entropy, accfun=F.binary_accuracy)

# Setup an optimizer
optimizer = ch.optimizers.SGD().setup(model)

# Create the updater, using the optimizer
updater = training.StandardUpdater(train_iter, optimizer, device=-1)

# Set up a trainer
trainer = training.Trainer(updater, (20, 'epoch'), out=out)

# Evaluate the model with the test dataset for each epoch
trainer.extend(extensions.Evaluator(test_iter, model, device=-1))

# Dump a computational graph from 'loss' variable at the first iteration
# The "main" refers to the target link of the "main" optimizer.
trainer.extend(extensions.dump_graph('main/loss'))

trainer.extend(extensions.snapshot(), trigger=(20, 'epoch'))

# Write a log of evaluation statistics for each epoch
trainer.extend(extensions.LogReport())
losses = []
trainer.extend(lambda t: losses.append(float(t.observation['main/loss'].array)), name='losses')

#  Run the training
trainer.run()
log = trainer.get_extension('LogReport').log
assert np.unique(X[:, 0]).size == 5  # np.unique gave the letters numbers
print(' '.join(['%.6f' % v for v in losses + [e['validation/main/accuracy'] for e in log]]))
