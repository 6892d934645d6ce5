// SPDX-License-Identifier: MIT
// A confusion matrix as a picture, once per epoch.
#pragma once
#include <string>
#include <vector>

#include "chainer/training/extensions/evaluation.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace training::extensions {

/// Options of ConfusionMatrixReport.
struct ConfusionMatrixReportOptions {
  Converter converter = {};
  std::optional<Device> device = {};
  std::vector<std::string> labels = {};  ///< names, numbers by default
  std::string file_name = "confusion_matrix.png";
};
/// Runs through an iterator of (input, label) in test mode without backprop, and draws the confusion matrix
/// (F::confusion_matrix) to out/file_name, once per epoch. The link returns scores (N, C); for a Classifier, pass its
/// predictor. In a build without a drawing library it only counts.
///
///   const extensions::ConfusionMatrixReportOptions options{.labels = {"cat", "dog"}};
class ConfusionMatrixReport : public Extension {
 public:
  /// Throws ValueError if the iterator repeats. operator() throws ValueError for examples without input and label.
  ConfusionMatrixReport(NamedKept<Iterator> iterator, NamedKept<Link> predictor,
                        const ConfusionMatrixReportOptions& options = {});
  CHAINER_OTHER_OPTIONS(ConfusionMatrixReport, ".converter, .device, .labels, .file_name", NamedKept<Iterator>,
                        NamedKept<Link>);
  void operator()(Trainer& trainer) override;
  Trigger trigger() const override { return {1, "epoch"}; }
  void finalize() override { iterator_.get("main").finalize(); }
  /// Returns the counts of the last run, int64 (C, C); none before the first.
  const Array& counts() const { return counts_; }

 private:
  NamedKept<Iterator> iterator_;
  NamedKept<Link> predictor_;
  ConfusionMatrixReportOptions options_;
  Array counts_;
};

}  // namespace training::extensions
namespace extensions = training::extensions;
}  // namespace chainer
