# SPDX-License-Identifier: MIT
import abc

from chainer import Function
from chainer.backends import cuda


class _MultiNodeBatchNormalizationBackend(metaclass=abc.ABCMeta):
    """How statistics are averaged over processes."""

    @abc.abstractmethod
    def forward(self, axis, gamma, x, xp):
        """Returns the mean of x and the mean of its squares over all processes."""

    @abc.abstractmethod
    def backward(self, axis, gamma, gy, x_hat, x, xp):
        """Returns the averages of the gradients of beta and gamma over all processes."""


class _MpiBackend(_MultiNodeBatchNormalizationBackend):
    def __init__(self, comm):
        self.comm = comm

    def _averaged(self, a, b):
        xp = cuda.get_array_module(a)
        both = self.comm.allreduce(xp.concatenate([a.ravel(), b.ravel()])) / self.comm.size
        return both[:a.size].reshape(a.shape), both[a.size:].reshape(b.shape)

    def forward(self, axis, gamma, x, xp):
        wide = x.astype(gamma.dtype, copy=False)
        return self._averaged(wide.mean(axis=axis), (wide * wide).mean(axis=axis))

    def backward(self, axis, gamma, gy, x_hat, x, xp):
        wide = gy.astype(gamma.dtype, copy=False)
        return self._averaged(wide.sum(axis=axis), (wide * x_hat).sum(axis=axis))


class _NcclBackend(_MpiBackend):
    def __init__(self, comm):
        raise ValueError('NCCL is not available in this build')


def get_communication_backend(comm, communication_backend='auto'):
    """Returns the backend for a name: mpi, nccl (with pure_nccl only), or auto."""
    if communication_backend not in ('mpi', 'nccl', 'auto'):
        raise ValueError('communication_backend must be one of mpi, nccl and auto, not {}'.format(
            communication_backend))
    return _NcclBackend(comm) if communication_backend == 'nccl' else _MpiBackend(comm)


def _xhat(x, mean, std, expander):
    return (x - mean[expander]) / std[expander]


class MultiNodeBatchNormalizationFunction(Function):
    """Batch normalization by the statistics of the batches of all processes, from (x, gamma, beta) or, to normalize by
    given statistics, (x, gamma, beta, mean, var)."""

    def __init__(self, comm, eps=2e-5, mean=None, var=None, decay=0.9, communication_backend='auto'):
        self.comm, self.eps, self.decay = comm, eps, decay
        self.running_mean, self.running_var = mean, var
        self._backend = get_communication_backend(comm, communication_backend)

    def check_type_forward(self, in_types):
        from chainer.utils import type_check
        x, gamma, beta = in_types[:3]
        n = type_check.eval(gamma.ndim)
        type_check.expect(x.dtype.kind == 'f', x.ndim >= gamma.ndim + 1, x.shape[1:1 + n] == gamma.shape,
                          gamma.dtype.kind == 'f', gamma.dtype == beta.dtype, gamma.shape == beta.shape)

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        x, gamma, beta = inputs[:3]
        xp = cuda.get_array_module(x)
        head = gamma.ndim + 1
        self.axis = (0,) + tuple(range(head, x.ndim))
        self.expander = (None, Ellipsis) + (None,) * (x.ndim - head)
        self._batch = len(inputs) == 3
        if not self._batch:
            self.mean, var = inputs[3:]
            var = var + self.eps
        else:
            self.mean, squares = self._backend.forward(self.axis, gamma, x, xp)
            var = squares - self.mean * self.mean + self.eps
        self.std = xp.sqrt(var)
        self.x_hat = _xhat(x, self.mean, self.std, self.expander)
        y = (gamma[self.expander] * self.x_hat + beta[self.expander]).astype(x.dtype, copy=False)
        if self._batch and self.running_mean is not None:
            m = x.size // gamma.size
            for running, new in ((self.running_mean, self.mean), (self.running_var, var * (m / max(m - 1., 1.)))):
                running *= self.decay
                running += (1 - self.decay) * new
        return y,

    def backward(self, inputs, grad_outputs):
        x, gamma = inputs[:2]
        gy, expander = grad_outputs[0], self.expander
        if not self._batch:
            gs = gamma / self.std
            gbeta, ggamma = gy.sum(axis=self.axis), (gy * self.x_hat).sum(axis=self.axis)
            gmean, gvar = -gs * gbeta, -0.5 * gamma / (self.std * self.std) * ggamma
            return [g.astype(d, copy=False) for g, d in (
                (gs[expander] * gy, x.dtype), (ggamma, gamma.dtype), (gbeta, gamma.dtype), (gmean, gamma.dtype),
                (gvar, gamma.dtype))]
        gbeta, ggamma = self._backend.backward(self.axis, gamma, gy, self.x_hat, x, cuda.get_array_module(x))
        m = x.dtype.type(x.size // gamma.size)
        gx = (gamma / self.std)[expander] * (gy - (self.x_hat * ggamma[expander] + gbeta[expander]) / m)
        return gx.astype(x.dtype, copy=False), ggamma, gbeta

