// SPDX-License-Identifier: MIT
// F: evaluation functions, without gradient (manual: "Evaluation functions").
// Errors: every function throws InvalidType if scores are not floating, labels are not integers, or shapes do not
// match. See functions.h for what all functions share.
#pragma once
#include <string>
#include <optional>

#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// Options of accuracy().
struct AccuracyOptions {
  std::optional<int64_t> ignore_label = {};  ///< elements with this label do not count; 0 if none is left
};
/// Computes the fraction of labels t (N, d1, ...) that equal the argmax of y (N, C, d1, ...) along axis 1, as shape ()
/// in the dtype of y.
///   F::accuracy(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 1}))  // 0.5
inline constexpr struct Accuracy {
  static constexpr std::string_view name = "accuracy";
  Variable operator()(const Variable& y, const Variable& t, const AccuracyOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(accuracy, ".ignore_label", const Variable&, const Variable&);
} accuracy{};

/// Computes the fraction of labels t in {0, 1} that equal y >= 0, as shape () in the dtype of y; t has the shape of y.
/// Labels of -1 do not count.
///   F::binary_accuracy(array({0.5f, -1.f}), array({1, 1}))  // 0.5
inline constexpr struct BinaryAccuracy {
  static constexpr std::string_view name = "binary_accuracy";
  Variable operator()(const Variable& y, const Variable& t) const;
} binary_accuracy{};

/// Options of classification_summary(), precision(), recall() and f1_score().
struct ClassificationSummaryOptions {
  std::optional<int64_t> label_num = {};  ///< the number of labels, by default the largest plus one
  double beta = 1.0;                      ///< the weight of recall in fbeta
  int64_t ignore_label = -1;              ///< elements with this label do not count
};
/// Computes precision, recall, F-beta score (float64) and support (the number of elements) of each label, each of shape
/// (label_num), for y (N, C, d1, ...) with its argmax along axis 1 and labels t (N, d1, ...). The precision of a label
/// that was never predicted is NaN. Throws DimensionError if the numbers of labels and predictions differ, IndexError
/// for a label that is not in 0 ... label_num - 1 and not ignore_label, ValueError for a negative label_num.
///   F::classification_summary(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 1})).recall  // [nan, 0.5]
inline constexpr struct ClassificationSummary {
  static constexpr std::string_view name = "classification_summary";
  struct Result {
    Variable precision, recall, fbeta, support;
  };
  Result operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(classification_summary, ".label_num, .beta, .ignore_label", const Variable&,
                             const Variable&);
} classification_summary{};

/// Returns {precision, support} of each label, both of shape (label_num). Inputs and errors as
/// classification_summary().
///   F::precision(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 0}))
inline constexpr struct Precision {
  static constexpr std::string_view name = "precision";
  Variables operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(precision, ".label_num, .beta, .ignore_label", const Variable&, const Variable&);
} precision{};

/// Returns {recall, support} of each label, both of shape (label_num). Inputs and errors as classification_summary().
///   F::recall(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 0}))
inline constexpr struct Recall {
  static constexpr std::string_view name = "recall";
  Variables operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(recall, ".label_num, .beta, .ignore_label", const Variable&, const Variable&);
} recall{};

/// Returns {F1 score, support} of each label, both of shape (label_num). Inputs and errors as classification_summary().
///   F::f1_score(array({{0.f, 1.f}, {1.f, 0.f}}), array({1, 0}))
inline constexpr struct F1Score {
  static constexpr std::string_view name = "f1_score";
  Variables operator()(const Variable& y, const Variable& t, const ClassificationSummaryOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(f1_score, ".label_num, .beta, .ignore_label", const Variable&, const Variable&);
} f1_score{};

/// Computes the fraction of the variance of `truth` along axis 0 that `pred`, of the same shape (N, ...), explains: 1 -
/// sum((pred - truth)^2) / sum((truth - mean)^2), 0 for a constant output. The result is the mean over all outputs,
/// shape (), or with "raw_values" one number for each, shape (...). Throws ValueError for another word.
///   F::r2_score(array({1.f, 2.f}), array({1.f, 2.f}))  // 1
inline constexpr struct R2Score {
  static constexpr std::string_view name = "r2_score";
  Variable operator()(const Variable& pred, const Variable& truth,
                      const std::string& multioutput = "uniform_average") const;
} r2_score{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
