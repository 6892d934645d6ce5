# SPDX-License-Identifier: MIT
"""The interface of CUDA kernels of windows, and of the helpers that write expressions for them. The kernels themselves
are not part of this build: generate() is an error."""
from chainer.backends import cuda


def vars(prefix, n):
    """prefix_0, prefix_1, ..."""
    return ['{}_{}'.format(prefix, i) for i in range(n)]


def map_(fn, *lst):
    return list(map(fn, *lst))


def _joined(operator, xs, init):
    return (' %s ' % operator).join(([] if init is None else [init]) + list(xs))


def mulexp(xs, init=None):
    """The product of expressions."""
    return _joined('*', xs, init)


def andexp(xs, init=None):
    """The conjunction of expressions."""
    return _joined('&&', xs, init)


def muladdexp(xs, ys, init=None):
    """x_n * (... (x_1 * y_0 + y_1) ...) + y_n, the first term being init."""
    pairs = list(zip(xs, ys))
    if init is None:
        init, pairs = pairs[0][1], pairs[1:]
    for x, y in pairs:
        init = '({} + {} * {})'.format(y, x, init)
    return init


def succ_sublists(xs):
    """xs, and xs without its first one, two, ... elements."""
    return [xs[i:] for i in range(len(xs))]


class Writer(object):
    """Collects lines of an indented text."""

    def __init__(self):
        self._indent = 0
        self._lines = []

    def write(self, line, indent=None):
        """Adds a line; 'inc' indents the next ones, 'dec' ends the indentation before this one."""
        if indent == 'dec' or indent == 'decinc':
            self._indent -= 1
        self._lines.append('  ' * self._indent + line)
        if indent == 'inc' or indent == 'decinc':
            self._indent += 1

    def get(self):
        return '\n'.join(self._lines)


class Kernel(object):
    """The source of a CUDA kernel."""

    name = ''

    @classmethod
    def generate(cls, ndim):
        """Returns the kernel's parameters, source and name, remembered by ndim."""
        return _generated(cls, ndim)

    @classmethod
    def _generate(cls, ndim):
        cuda.check_cuda_available()

    def in_params(self):
        return []

    def out_params(self):
        return []

    def before(self):
        return ''

    def main(self, x, y):
        return ''

    def after(self, out):
        return ''


@cuda.memoize()
def _generated(cls, ndim):
    return cls._generate(ndim)


class Im2colNDKernel(Kernel):
    """The kernel that copies windows; not part of this build."""

    name = 'im2col'


class Col2imNDKernel(Kernel):
    """The kernel that sums windows; not part of this build."""

    name = 'col2im'


_im2col_nd_kernel = Im2colNDKernel()
_col2im_nd_kernel = Col2imNDKernel()
