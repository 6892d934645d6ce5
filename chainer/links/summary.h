// A network as a table: what each link computes, has and costs.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "chainer/links/link.h"

namespace chainer {

/// A line of a ModelSummary: what a link has and does itself, without its children.
struct SummaryRow {
  std::string path;            ///< as in namedlinks(): "/l1"
  std::string type;            ///< the link's class; of a link that is not called itself, its last function
  std::vector<Shape> outputs;  ///< what it returned last; empty for a link that took no part
  int64_t calls = 0;
  int64_t parameters = 0;        ///< elements that no row before has
  int64_t shared = 0;            ///< elements of parameters that a row before has, too
  int64_t frozen = 0;            ///< elements, of `parameters`, whose update is disabled
  int64_t multiply_adds = 0;     ///< of affine maps, convolutions, products of matrices and recurrent layers
  int64_t activation_bytes = 0;  ///< of the results of its functions, each counted in full, views as well
};

/// What summary() found; the totals are the sums over the rows.
struct ModelSummary {
  std::vector<SummaryRow> rows;  ///< in the order of the first call, then the links that took no part
  int64_t parameters = 0, frozen = 0, multiply_adds = 0, activation_bytes = 0;
};

/// Calls the model once on these inputs, in test mode, and tells what each of its links did. A copy is called, so that
/// the model keeps its states (those of an LSTM) and the random numbers go on as if nothing had been drawn; a model
/// that cannot be copied, because it has a std::unique_ptr, is called itself. Lengths that a first call finds are those
/// that these inputs give. A link whose parameters are used without calling it, as those of an onnx::Model are, has the
/// functions that take them. Functions that have no gradient (F::argmax) cost nothing here. Errors are those of the
/// call.
///
///   Sequential model(L::Linear(4), F::relu, L::Linear(2));
///   summary(model, {zeros({1, 3})}).parameters  // 26
ModelSummary summary(const Link& model, const Variables& inputs);
/// The table for people: a line a row, then the totals. A row with frozen or shared parameters says so.
std::string to_string(const ModelSummary& s);

}  // namespace chainer
