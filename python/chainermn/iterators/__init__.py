# SPDX-License-Identifier: MIT
from chainermn.iterators.multi_node_iterator import create_multi_node_iterator  # NOQA
