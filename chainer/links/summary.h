// SPDX-License-Identifier: MIT
// A network as a table: output shapes, parameters and costs of each link.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "chainer/links/link.h"

namespace chainer {

/// A row of a ModelSummary: one link, without its children.
struct SummaryRow {
  std::string path;            ///< as in namedlinks(): "/l1"
  std::string type;            ///< the class of the link; the last function of a link that is not called itself
  std::vector<Shape> outputs;  ///< shapes of the last results; empty for a link that was not called
  int64_t calls = 0;
  int64_t parameters = 0;        ///< elements of parameters that are in no earlier row
  int64_t shared = 0;            ///< elements of parameters that are also in an earlier row
  int64_t frozen = 0;            ///< elements, of `parameters`, whose update is disabled
  int64_t multiply_adds = 0;     ///< of affine maps, convolutions, matrix products and recurrent layers
  int64_t activation_bytes = 0;  ///< of the results of its functions, each counted in full, also views
};

/// The result of summary(); the totals are the sums over the rows.
struct ModelSummary {
  std::vector<SummaryRow> rows;  ///< in the order of the first call, then the links that were not called
  int64_t parameters = 0, frozen = 0, multiply_adds = 0, activation_bytes = 0;
};

/// Calls a copy of the model once on these inputs, in test mode, and returns what each of its links did. The model
/// keeps its states (as those of an LSTM) and the random number generators theirs; a model that cannot be copied,
/// because it has a std::unique_ptr, is called itself. Uninitialized parameters get the sizes that follow from these
/// inputs. A link whose parameters are used without calling it, as in an onnx::Model, is assigned the functions that
/// use them. Functions without gradient (F::argmax) are not counted. Throws what the call throws.
///
///   Sequential model(L::Linear(4), F::relu, L::Linear(2));
///   summary(model, {zeros({1, 3})}).parameters  // 26
ModelSummary summary(const Link& model, const Variables& inputs);
/// Formats the table for reading: one line for each row, then the totals. Marks frozen and shared parameters.
std::string to_string(const ModelSummary& s);

}  // namespace chainer
