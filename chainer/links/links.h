// SPDX-License-Identifier: MIT
// L: links with parameters (manual: "Link implementations"), one header for each chapter.
//
//   struct MLP : Chain {
//     L::Linear l1, l2;
//     MLP(int64_t n_units, int64_t n_out) : l1(n_units), l2(n_out) {}
//     CHAINER_MEMBERS(MLP, l1, l2);
//     Variable forward(const Variable& x) { return l2(F::relu(l1(x))); }
//   };
#pragma once
#include "chainer/links/activation.h"
#include "chainer/links/attention.h"
#include "chainer/links/chain_list.h"
#include "chainer/links/connection.h"
#include "chainer/links/convolution.h"
#include "chainer/links/inception.h"
#include "chainer/links/loss.h"
#include "chainer/links/model.h"
#include "chainer/links/n_step_rnn.h"
#include "chainer/links/noise.h"
#include "chainer/links/normalization.h"
#include "chainer/links/recurrent.h"
#include "chainer/links/sequential.h"
