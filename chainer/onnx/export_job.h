// SPDX-License-Identifier: MIT
// An export, between its main part (export.cpp) and the choice of free lengths (export_free_lengths.cpp).
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "chainer/onnx/emitter.h"

namespace chainer::onnx {

using Runs = std::vector<std::shared_ptr<const Trace>>;

/// An export: the computation, its link, and the options.
struct Job {
  const Computation& f;
  Link* link;
  const Program* imported;  ///< set if the link is an imported model
  const Variables& inputs;
  const ExportOptions& o;
  int64_t opset;
};

/// Inputs and expected results, for checks of the file.
struct Sample {
  Variables inputs, results;
};

/// Emits the nodes for runs that call the same functions.
ModelFile emitted(const Job& job, Runs runs, std::vector<FreeLength> free);

/// Returns a file for any lengths of the batch and of the axes that the options name, checked with the samples and with
/// other lengths; nothing if all lengths are those of the example. Warns with the reason if the batch cannot be free.
/// Throws ValueError if an axis that the options name cannot be free.
std::optional<ModelFile> with_free_lengths(const Job& job, const Trace& base, const std::vector<Sample>& samples,
                                           bool random);

}  // namespace chainer::onnx
