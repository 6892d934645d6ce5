# SPDX-License-Identifier: MIT
from chainer import link


class TheanoFunction(link.Link):
    """A function of Theano; not supported, as Theano is no longer maintained."""

    def __init__(self, inputs, outputs):
        raise RuntimeError('theano is not supported by this build of chainer.')
