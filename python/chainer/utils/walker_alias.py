import numpy


class WalkerAlias(object):
    """Draws numbers with given probabilities in constant time (Walker's alias method)."""

    def __init__(self, probs):
        p = numpy.array(probs, numpy.float32)
        p /= p.sum()
        n = len(p)
        threshold = numpy.ndarray(n, numpy.float32)
        values = numpy.ndarray(n * 2, numpy.int32)
        order = numpy.argsort(p)
        pairs = [(p[i], i) for i in order]
        at = 0
        while pairs:
            small, i = pairs.pop(0)
            if not pairs:
                threshold[at] = 1
                values[at * 2] = values[at * 2 + 1] = i
                break
            large, j = pairs.pop()
            threshold[at] = small * n
            values[at * 2], values[at * 2 + 1] = i, j
            large -= 1.0 / n - small
            place = len(pairs) if large >= 1.0 / n else 0
            pairs.insert(place, (large, j))
            at += 1
        self.threshold, self.values, self.use_gpu = threshold, values, False

    def to_cpu(self):
        return self

    def to_gpu(self):
        from chainer.backends import cuda
        cuda.check_cuda_available()

    def sample(self, shape):
        ps = numpy.random.uniform(0, 1, shape)
        pb = ps * len(self.threshold)
        index = pb.astype(numpy.int32)
        left_right = (self.threshold[index] < pb - index).astype(numpy.int32)
        return self.values[index * 2 + left_right]

    def sample_xp(self, xp, shape):
        return self.sample(shape)

    sample_cpu = sample
