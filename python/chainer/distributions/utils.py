"""What distributions share."""
import numpy

from chainer import functions as F
from chainer.variable import as_variable


def _modified_xlogx(x):
    """x log(x), which is zero at zero, as is its gradient."""
    x = as_variable(x)
    zero = x.array == 0
    return x * F.log(F.where(zero, numpy.ones(x.shape, x.dtype), x)) if zero.any() else x * F.log(x)
