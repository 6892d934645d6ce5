# SPDX-License-Identifier: MIT
from chainermn.functions.collective_communication import allgather, alltoall, bcast, gather, scatter  # NOQA
from chainermn.functions.point_to_point_communication import recv, send  # NOQA
from chainermn.functions.pseudo_connect import pseudo_connect  # NOQA
