# SPDX-License-Identifier: MIT
"""The manual's programs, unchanged, against what release 5.4.0 prints with the same seed."""
import os
import subprocess
import sys

import pytest

from chainer.datasets import mnist

# Programs of the manual's pages that need no data: their first lines are the losses. record.py asked the release.
NAMES = ('mnist_trainer', 'word2vec', 'dcgan', 'recurrent', 'glance', 'convnets', 'own_functions', 'seq2seq')
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'scripts')


def has_mnist():
    """Whether the files are there: nothing is downloaded for a test."""
    names = ('train-images-idx3-ubyte', 'train-images-idx3-ubyte.gz', 'train.npz')
    return any([os.path.exists(os.path.join(folder, name)) for folder in mnist._folders(mnist.MNIST) for name in names])


def expected(name):
    with open(os.path.join(HERE, name + '.losses')) as f:
        return [float(v) for v in f.read().split()]


@pytest.mark.parametrize('name', NAMES)
def test_losses(name, tmp_path):
    out = subprocess.run([sys.executable, os.path.join(HERE, name + '.py')], check=True, cwd=str(tmp_path),
                         env=dict(os.environ, OUT=str(tmp_path)), stdout=subprocess.PIPE, text=True).stdout
    losses = [float(v) for v in out.splitlines()[0].split()]
    assert losses == pytest.approx(expected(name), abs=1e-4)


@pytest.mark.skipif(not has_mnist(), reason='MNIST is not in the folder of datasets')
def test_mnist_loop(tmp_path):
    out = subprocess.run([sys.executable, os.path.join(HERE, 'mnist_loop.py'), '300'], check=True,
                         env=dict(os.environ, OUT=str(tmp_path)), stdout=subprocess.PIPE, text=True).stdout
    losses = [float(v) for v in out.splitlines()[0].split()]
    assert len(losses) == 100
    assert losses == pytest.approx(expected('mnist_loop'), abs=1e-4)
    assert float(out.splitlines()[1].split('val_accuracy:')[1]) > 0.9
