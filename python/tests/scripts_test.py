"""The manual's programs, unchanged, against what release 5.4.0 prints with the same seed."""
import os
import subprocess
import sys

import pytest

from chainer.datasets import mnist

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'scripts')


def has_mnist():
    """Whether the files are there: nothing is downloaded for a test."""
    names = ('train-images-idx3-ubyte', 'train-images-idx3-ubyte.gz', 'train.npz')
    return any([os.path.exists(os.path.join(folder, name)) for folder in mnist._folders(mnist.MNIST) for name in names])


@pytest.mark.skipif(not has_mnist(), reason='MNIST is not in the folder of datasets')
def test_mnist_loop(tmp_path):
    out = subprocess.run([sys.executable, os.path.join(HERE, 'mnist_loop.py'), '300'], check=True,
                         env=dict(os.environ, OUT=str(tmp_path)), stdout=subprocess.PIPE, text=True).stdout
    losses = [float(v) for v in out.splitlines()[0].split()]
    with open(os.path.join(HERE, 'mnist_loop.losses')) as f:
        expected = [float(v) for v in f.read().split()]
    assert len(losses) == 100
    assert losses == pytest.approx(expected, abs=1e-4)
    assert float(out.splitlines()[1].split('val_accuracy:')[1]) > 0.9
