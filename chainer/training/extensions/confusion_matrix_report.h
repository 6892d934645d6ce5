// A confusion matrix as a picture, once an epoch.
#pragma once
#include <string>
#include <vector>

#include "chainer/training/extensions/evaluation.h"

namespace chainer {
namespace training::extensions {

/// Options of ConfusionMatrixReport.
struct ConfusionMatrixReportOptions {
  Converter converter = {};
  std::optional<Device> device = {};
  std::vector<std::string> labels = {};  ///< names, numbers by default
  std::string file_name = "confusion_matrix.png";
};
/// Sweeps an iterator of (input, label) without backprop and with train off, and draws how many elements of each label
/// the link takes for which (F::confusion_matrix) into out/file_name. The link gives scores (N, C): of a Classifier
/// that is its predictor. Once an epoch. Without a drawing library it counts only.
///
///   const extensions::ConfusionMatrixReportOptions options{.labels = {"cat", "dog"}};
class ConfusionMatrixReport : public Extension {
 public:
  /// An iterator that repeats is a ValueError.
  ConfusionMatrixReport(NamedKept<Iterator> iterator, NamedKept<Link> predictor,
                        const ConfusionMatrixReportOptions& options = {});
  void operator()(Trainer& trainer) override;
  Trigger trigger() const override { return {1, "epoch"}; }
  void finalize() override { iterator_.get("main").finalize(); }
  /// The counts of the last sweep, int64 (C, C); none before the first.
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
