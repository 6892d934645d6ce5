# SPDX-License-Identifier: MIT
"""Kernels written as text in CUDA C++, with the classes of CuPy. They are compiled at their first call on a device."""
from chainer import _core

__all__ = ('ElementwiseKernel', 'ReductionKernel', 'RawKernel', 'elementwise', 'reduce', 'raw', 'memoize', 'clear_memo',
           'fuse')


def _outputs(kernel, results):
    if kernel._no_return:
        return None
    return results[0] if len(results) == 1 and not kernel._return_tuple else tuple(results)


class ElementwiseKernel(object):
    """A kernel that runs `operation` for each element of its arguments.

    Parameters are lists as 'T x, float32 y, raw int64 table': a dtype, or a letter that stands for the dtype of the
    arrays given for it, and a name. In the operation the name is an element of the arrays' broadcast, or a number;
    `raw` parameters are whole arrays, where table[k] is the element at position k. `i` is the position of the element,
    `_ind.size()` their number. Calls take the inputs, then the output arrays or none, and return the outputs.
    """

    def __init__(self, in_params, out_params, operation, name='kernel', reduce_dims=True, preamble='',
                 no_return=False, return_tuple=False, loop_prep='', after_loop='', options=()):
        self.name, self.in_params, self.out_params, self.operation = name, in_params, out_params, operation
        self._no_return, self._return_tuple = no_return, return_tuple
        self._kernel = _core.text_kernels.Elementwise(in_params, out_params, operation, name, preamble, loop_prep,
                                                      after_loop, list(options), reduce_dims)

    def __call__(self, *args, size=None, stream=None, block_size=128):
        return _outputs(self, self._kernel.call(*args, size=size, block_size=block_size))


class ReductionKernel(object):
    """A kernel that combines the values `map_expr` of all elements, `a` and `b` by `reduce_expr`.

    The statements `post_map_expr` assign the outputs from the result `a`; `identity` is the result for no elements.
    Parameters are those of ElementwiseKernel.
    """
    _no_return = _return_tuple = False

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name='reduce_kernel',
                 reduce_type=None, reduce_dims=True, preamble='', options=()):
        self.name, self.in_params, self.out_params = name, in_params, out_params
        self._kernel = _core.text_kernels.Reduction(
            in_params, out_params, map_expr, reduce_expr, post_map_expr, '' if identity is None else str(identity),
            name, preamble, reduce_type or '', list(options), reduce_dims)

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None):
        if out is not None:
            args += out if isinstance(out, tuple) else (out,)
        return _outputs(self, self._kernel.call(*args, axis=axis, keepdims=keepdims))


class RawKernel(object):
    """The function `name` of a source in CUDA C++ that defines it as extern "C" __global__.

    A call takes the numbers of blocks and of threads of a block, and the arguments: arrays, numbers of NumPy in their
    own types, and Python's as int64 or float64.
    """

    def __init__(self, code, name, options=()):
        self.code, self.name, self.options = code, name, tuple(options)
        self._kernel = _core.text_kernels.Raw(code, name, list(options))

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        self._kernel.call(grid, block, args, shared_mem)


def _of_cuda(name):
    def call(*args, **kwargs):
        from chainer.backends import cuda
        return getattr(cuda, name)(*args, **kwargs)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = 'The function of chainer.backends.cuda.'
    return call


elementwise, reduce, raw, memoize, clear_memo, fuse = [
    _of_cuda(name) for name in ('elementwise', 'reduce', 'raw', 'memoize', 'clear_memo', 'fuse')]
