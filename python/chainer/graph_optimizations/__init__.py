# SPDX-License-Identifier: MIT
"""Static graphs: the interface is accepted, and every call defines its graph, with the same values."""
from chainer.graph_optimizations.static_graph import static_graph  # NOQA
from chainer.graph_optimizations.static_graph_utilities import static_code  # NOQA
