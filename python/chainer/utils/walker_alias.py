# SPDX-License-Identifier: MIT
import numpy


class WalkerAlias(object):
    """Draws numbers with given probabilities in constant time (Walker's alias method)."""

    def __init__(self, probs):
        p = numpy.array(probs, numpy.float32)
        p /= p.sum()
        n = len(p)
        threshold = numpy.ndarray(n, numpy.float32)
        values = numpy.zeros(n * 2, numpy.int32)
        # Columns sorted by weight; the excess of heavy columns fills the light ones before them.
        filled = 0
        for column, (weight, i) in enumerate(sorted(zip(p, range(n)))):
            weight = weight * n
            while weight > 1 and filled < column:
                values[filled * 2 + 1] = i
                weight -= 1.0 - threshold[filled]
                filled += 1
            threshold[column] = weight
            values[column * 2] = i
        self.threshold, self.values, self.use_gpu = threshold, values, False

    def to_cpu(self):
        """Makes sample() return arrays on the host."""
        self.use_gpu = False
        return self

    def to_gpu(self):
        """Makes sample() return arrays on the current device."""
        from chainer.backends import cuda
        cuda.check_cuda_available()
        self.use_gpu = True
        return self

    def sample(self, shape):
        return self.sample_gpu(shape) if self.use_gpu else self.sample_cpu(shape)

    def sample_cpu(self, shape):
        ps = numpy.random.uniform(0, 1, shape)
        pb = ps * len(self.threshold)
        index = pb.astype(numpy.int32)
        left_right = (self.threshold[index] < pb - index).astype(numpy.int32)
        return self.values[index * 2 + left_right]

    def sample_xp(self, xp, shape):
        return self.sample_cpu(shape) if xp is numpy else self.sample_gpu(shape)

    def sample_gpu(self, shape):
        from chainer.backends import cuda
        return cuda.to_gpu(self.sample_cpu(shape))
