// F: evaluation functions, without gradient (manual: "Evaluation functions").
#pragma once
#include <string>
#include <optional>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// Options of accuracy().
struct AccuracyOptions {
  std::optional<int64_t> ignore_label = {};  ///< elements with this label do not count; 0 if none is left
};
/// The share of labels t (N, d1, ...) equal to the argmax of y (N, C, d1, ...) along axis 1.
///   F::accuracy(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 1}))  // 0.5
inline constexpr struct Accuracy {
  static constexpr std::string_view name = "accuracy";
  Variable operator()(const Variable& y, const Variable& t, const AccuracyOptions& options = {}) const;
} accuracy{};

/// The share of labels t in {0, 1} equal to y >= 0; labels of -1 do not count.
///   F::binary_accuracy(array({0.5f, -1.f}), array({1, 1}))  // 0.5
inline constexpr struct BinaryAccuracy {
  static constexpr std::string_view name = "binary_accuracy";
  Variable operator()(const Variable& y, const Variable& t) const;
} binary_accuracy{};

/// Options of classification_summary(), precision(), recall() and f1_score().
struct ClassificationSummaryOptions {
  std::optional<int64_t> label_num = {};  ///< the number of labels, by default the largest plus one
  double beta = 1.0;                      ///< how much recall weighs in fbeta
  int64_t ignore_label = -1;              ///< elements with this label do not count
};
/// Precision, recall, F-beta score (float64) and the number of elements of each label, for y (N, C, d1, ...) with its
/// argmax along axis 1 and labels t (N, d1, ...). A label that was never predicted has no precision: NaN.
///   F::classification_summary(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 1})).recall  // [nan, 0.5]
inline constexpr struct ClassificationSummary {
  static constexpr std::string_view name = "classification_summary";
  struct Result {
    Variable precision, recall, fbeta, support;
  };
  Result operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& options = {}) const;
} classification_summary{};

/// The precision of each label and the number of its elements, as classification_summary.
///   F::precision(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 0}))
inline constexpr struct Precision {
  static constexpr std::string_view name = "precision";
  Variables operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& options = {}) const;
} precision{};

/// The recall of each label and the number of its elements, as classification_summary.
///   F::recall(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 0}))
inline constexpr struct Recall {
  static constexpr std::string_view name = "recall";
  Variables operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& options = {}) const;
} recall{};

/// The F1 score of each label and the number of its elements, as classification_summary.
///   F::f1_score(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 0}))
inline constexpr struct F1Score {
  static constexpr std::string_view name = "f1_score";
  Variables operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& options = {}) const;
} f1_score{};

/// The share of the variance of `truth` that `pred` explains, over axis 0: 1 - sum((pred - truth)^2) / sum((truth -
/// mean)^2), averaged over outputs, or ("raw_values") one each.
///   F::r2_score(array({1.f, 2.f}), array({1.f, 2.f}))  // 1
inline constexpr struct R2Score {
  static constexpr std::string_view name = "r2_score";
  Variable operator()(const Variable& pred, const Variable& truth,
                      const std::string& multioutput = "uniform_average") const;
} r2_score{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
