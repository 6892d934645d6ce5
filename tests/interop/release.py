# SPDX-License-Identifier: MIT
"""Imports release 5.4.0 of the reference. Set it up once, in a virtual environment of Python 3.11:

    python3.11 -m venv ref
    ref/bin/pip install 'setuptools<60' wheel numpy==1.23.5 six filelock protobuf==3.20.3 typing_extensions
    ref/bin/pip install --no-deps --no-build-isolation chainer==5.4.0

(run_interop does that by itself.)
"""
import collections
import collections.abc
import warnings

warnings.simplefilter('ignore')
for name in ('Iterable', 'Mapping', 'Sequence', 'MutableMapping', 'Callable'):
    setattr(collections, name, getattr(collections.abc, name))

import functools  # noqa: E402

import numpy  # noqa: E402

# The release reads its own files with a stored None only where pickles are allowed, which was NumPy's default then.
numpy.load = functools.partial(numpy.load, allow_pickle=True)
import chainer  # noqa: E402
import chainer.functions as F  # noqa: E402
import chainer.links as L  # noqa: E402
from chainer import optimizers, serializers, training  # noqa: E402
from chainer.training import extensions  # noqa: E402


class MLP(chainer.Chain):
    """The multilayer perceptron of the MNIST examples."""

    def __init__(self, n_units, n_out):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_units)
            self.l2 = L.Linear(None, n_units)
            self.l3 = L.Linear(None, n_out)

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


def teacher_data(n=2000, seed=7):
    """Images with a fifth of their pixels set, with labels by a random linear map; C++ tests create the same."""
    r = numpy.random.RandomState(seed)
    x = r.rand(n, 784).astype('f')
    x = numpy.where(x < 0.2, x * 5, 0).astype('f')
    w = r.randn(784, 10)
    t = ((x.astype('d') - 0.1) @ w).argmax(axis=1).astype('i')
    return chainer.datasets.TupleDataset(x, t)
