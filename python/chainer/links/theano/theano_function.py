from chainer import link


class TheanoFunction(link.Link):
    """A function of Theano, which no longer is maintained: not supported."""

    def __init__(self, inputs, outputs):
        raise RuntimeError('theano is not supported by this build of chainer.')
