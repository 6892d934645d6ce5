# SPDX-License-Identifier: MIT
"""Static graphs: calls of a chain that are recorded once and replayed."""
from chainer.graph_optimizations.static_graph import static_graph  # NOQA
from chainer.graph_optimizations.static_graph_utilities import static_code  # NOQA
