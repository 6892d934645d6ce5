# SPDX-License-Identifier: MIT

class GradientLARS(object):
    """Scales each gradient by the norms of its parameter and itself."""

    name = 'GradientLARS'
    call_for_each_param = True
    timing = 'pre'

    def __init__(self, threshold=1e-2, weight_decay=0.0, eps=1e-9):
        self.threshold, self.weight_decay, self.eps = threshold, weight_decay, eps

    def __call__(self, rule, param):
        p, g = param.array, param.grad
        if p is None or g is None:
            return
        p_norm, g_norm = [param.xp.linalg.norm(a) for a in (p, g)]
        rate = p_norm / (self.eps + g_norm + self.weight_decay * p_norm) if p_norm > self.threshold else 1.
        if self.weight_decay:
            g += self.weight_decay * p
        g *= rate
