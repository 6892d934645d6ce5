# SPDX-License-Identifier: MIT
import numpy

from chainer import _core
from chainer import configuration
from chainer import functions as F
from chainer.link_hooks import parameter_hook


def _normalized(v, eps):
    return v / ((v * v).sum() ** 0.5 + eps)


def _iterate(w, u, count, eps):
    """Returns the vectors after some power iterations from u; u^T W v is the singular value."""
    v = _normalized(u @ w, eps)
    for i in range(count):
        u = _normalized(w @ v, eps)
        if i + 1 < count:
            v = _normalized(u @ w, eps)
    return u, v


class SpectralNormalization(parameter_hook.WeightHook):
    """Divides a link's weight by its largest singular value, found by power iteration on the matrix whose rows are
    output channels (Miyato et al., arXiv:1802.05957), as Chainer 6. The vector of the iteration is the persistent value
    <weight_name>_u of the link; calls in train mode improve it. The link may get its sizes from the first call.

    Args:
        n_power_iteration (int): Iterations of a call.
        eps (float): Is added to norms of vectors.
        use_gamma (bool): Multiply by a parameter <weight_name>_gamma, initially the singular value.
        factor (float): Multiplies the result.
        weight_name (str): The name of the parameter.
        name (str): The name of the hook.

    .. code-block:: python

        link = L.Linear(3, 2)
        link.add_hook(chainer.link_hooks.SpectralNormalization())
    """

    name = 'SpectralNormalization'

    def __init__(self, n_power_iteration=1, eps=1e-6, use_gamma=False, factor=None, weight_name='W', name=None):
        super(SpectralNormalization, self).__init__(weight_name, name)
        if n_power_iteration < 1:
            raise ValueError('SpectralNormalization: n_power_iteration must be positive, not {}'.format(
                n_power_iteration))
        self.n_power_iteration, self.eps, self.use_gamma, self.factor = n_power_iteration, eps, use_gamma, factor
        self.vector_name = weight_name + '_u'

    def prepare(self, link, weight):
        rows = parameter_hook.as_rows(weight, parameter_hook.output_axis(link)).array
        with link._device:
            u = link.xp.asarray(numpy.random.normal(size=rows.shape[0]).astype(rows.dtype))
        if self.use_gamma:
            left, right = _iterate(rows, u, 10, self.eps)
            link.add_param(self.weight_name + '_gamma', (), rows.dtype, float(left @ rows @ right))
        link.add_persistent(self.vector_name, u)

    def deleted(self, link):
        for name in (self.vector_name, self.weight_name + '_gamma'):
            if name in link.__dict__:
                delattr(link, name)

    def replacement(self, link, name, param):
        if name != self.weight_name:
            return None
        rows = parameter_hook.as_rows(param, parameter_hook.output_axis(link))
        train = configuration.config.train

        def vectors():
            # In test mode the stored vector counts, with the other one that follows from it.
            stored = getattr(link, self.vector_name)
            both = _iterate(rows.array, stored, self.n_power_iteration if train else 0, self.eps)
            if train:
                setattr(link, self.vector_name, both[0])
            return both

        u, v = _core.repeated_state(vectors)
        sigma = F.sum(F.matmul(u, rows) * v)
        scale = (getattr(link, name + '_gamma') if self.use_gamma else 1) / sigma
        if self.factor is not None:
            scale = scale * self.factor
        return param * F.broadcast_to(scale, param.shape)
