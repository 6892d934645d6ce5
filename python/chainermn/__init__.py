# SPDX-License-Identifier: MIT
"""ChainerMN: training on several processes, over MPI (needs mpi4py)."""
from chainer import __version__  # NOQA

from chainermn import communicators  # NOQA
from chainermn import datasets  # NOQA
from chainermn import extensions  # NOQA
from chainermn import functions  # NOQA
from chainermn import global_except_hook  # NOQA
from chainermn import iterators  # NOQA
from chainermn import links  # NOQA
from chainermn import optimizers  # NOQA
from chainermn.communicators import CommunicatorBase, create_communicator  # NOQA
from chainermn.datasets import DataSizeError, scatter_dataset  # NOQA
from chainermn.extensions import create_multi_node_checkpointer, create_multi_node_evaluator  # NOQA
from chainermn.links import MultiNodeChainList  # NOQA
from chainermn.optimizers import create_multi_node_optimizer  # NOQA

global_except_hook._add_hook_if_enabled()
