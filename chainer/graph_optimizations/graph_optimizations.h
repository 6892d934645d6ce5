// SPDX-License-Identifier: MIT
// Static subgraph optimizations: static_graph() and static_code().
#pragma once
#include "chainer/graph_optimizations/static_code.h"
#include "chainer/graph_optimizations/static_graph.h"
