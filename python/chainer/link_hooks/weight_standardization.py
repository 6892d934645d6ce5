# SPDX-License-Identifier: MIT
from chainer import functions as F
from chainer.link_hooks import parameter_hook


class WeightStandardization(parameter_hook.WeightHook):
    """Computes with (W - mean) / sqrt(variance + eps), where mean and variance are those of each output channel (Qiao
    et al., arXiv:1903.10520), as Chainer 7.

    Args:
        eps (float): Is added to the variance.
        weight_name (str): The name of the parameter.
        name (str): The name of the hook.

    .. code-block:: python

        link = L.Linear(3, 2)
        link.add_hook(chainer.link_hooks.WeightStandardization())
    """

    name = 'WeightStandardization'

    def __init__(self, eps=1e-5, weight_name='W', name=None):
        super(WeightStandardization, self).__init__(weight_name, name)
        self.eps = eps

    def replacement(self, link, name, param):
        if name != self.weight_name:
            return None
        channels = parameter_hook.output_axis(link)
        axes = tuple([i for i in range(param.ndim) if i != channels])
        distance = param - F.broadcast_to(F.mean(param, axis=axes, keepdims=True), param.shape)
        variance = F.mean(F.square(distance), axis=axes, keepdims=True)
        return distance * F.broadcast_to(F.rsqrt(variance + self.eps), param.shape)
