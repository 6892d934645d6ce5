# SPDX-License-Identifier: MIT
from chainer.backends import cuda


def sum_to(x, shape):
    """Sums an array to a shape from which it was broadcast."""
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple([i + lead for i, n in enumerate(shape) if n == 1])
    y = x.sum(axes, keepdims=True)
    if lead > 0:
        y = y.squeeze(tuple(range(lead)))
    return y


def as_vec(x):
    """Reshapes the array to one row."""
    return x.ravel()


def as_mat(x):
    """Reshapes the array to rows."""
    return x if x.ndim == 2 else x.reshape(len(x), -1)


def empty_like(x):
    return cuda.get_array_module(x).empty_like(x)
