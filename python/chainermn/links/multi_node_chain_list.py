# SPDX-License-Identifier: MIT
import queue

from chainer import link
import chainermn.functions


def _ranks(rank):
    return rank if rank is None or isinstance(rank, (list, tuple)) else [rank]


class MultiNodeChainList(link.ChainList):
    """The components of a model of which each process has some, in the order of their computation.

    A component gets its arguments from processes (`rank_in`), or from the caller (None), and sends its result to
    processes (`rank_out`), or returns it (None)."""

    def __init__(self, comm):
        super(MultiNodeChainList, self).__init__()
        self._comm = comm
        self._rank_inouts = []

    def add_link(self, link, rank_in=None, rank_out=None):
        """Adds a component; ranks are numbers or lists of them."""
        super(MultiNodeChainList, self).add_link(link)
        if rank_out is None and any([out is None for _, out in self._rank_inouts]):
            raise ValueError('MultiNodeChainList.add_link: another component returns its result (rank_out is None)')
        self._rank_inouts.append((_ranks(rank_in), _ranks(rank_out)))

    def __call__(self, *inputs):
        comm, mine = self._comm, queue.Queue()
        y = delegate = None
        for f, (rank_in, rank_out) in zip(self, self._rank_inouts):
            if rank_in is None:
                x = f(*inputs) if delegate is None else f(*_connected(delegate, inputs))
            else:
                xs = []
                for rank in rank_in:
                    if rank == comm.rank:
                        got = mine.get_nowait()
                        got = got if delegate is None else chainermn.functions.pseudo_connect(delegate, got)
                    else:
                        got = chainermn.functions.recv(comm, rank=rank, delegate_variable=delegate)
                        delegate = None
                    xs += list(got) if isinstance(got, (tuple, list)) else [got]
                x = f(*xs)
            if rank_out is None:
                assert y is None, 'two components return their results'
                y = x
            else:
                for rank in rank_out:
                    if rank == comm.rank:
                        if delegate is not None:
                            x = chainermn.functions.pseudo_connect(delegate, x)
                            delegate = None
                        mine.put(x)
                    else:
                        sent = x if delegate is None else chainermn.functions.pseudo_connect(delegate, x)
                        delegate = chainermn.functions.send(sent, comm, rank=rank)
        if not mine.empty():
            raise ValueError('MultiNodeChainList: a value that a component sends to its own process is not received')
        if y is None:
            return delegate
        return y if delegate is None else _joined(delegate, y)


def _connected(delegate, xs):
    ys = chainermn.functions.pseudo_connect(delegate, *xs)
    return ys if isinstance(ys, tuple) else (ys,)


def _joined(delegate, y):
    if isinstance(y, (tuple, list)):
        return chainermn.functions.pseudo_connect(delegate, *y)
    return chainermn.functions.pseudo_connect(delegate, y)
