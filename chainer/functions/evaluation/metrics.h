// F: metrics that papers report beside accuracy: confusion, curves over thresholds, calibration, pictures. No
// gradients. Values are those of scikit-learn and scikit-image (tests/interop/run_metrics).
#pragma once
#include <optional>
#include <string>

#include "chainer/autograd/variable.h"

namespace chainer {
namespace functions {

/// What a confusion matrix is divided by: nothing, the sums of its rows, of its columns, or of all.
enum class ConfusionShare { count, truth, predicted, all };
/// Options of confusion_matrix().
struct ConfusionMatrixOptions {
  std::optional<int64_t> label_num = {};         ///< the number of labels, by default C, or the largest plus one
  int64_t ignore_label = -1;                     ///< elements with this label do not count
  ConfusionShare share = ConfusionShare::count;  ///< others give float64; 0 where there is nothing to share
};
/// How many elements of each true label (rows) were taken for each label (columns), int64 (C, C). y is (N, C, d1, ...),
/// whose argmax along axis 1 counts, or predicted labels in the shape of t; t is (N, d1, ...). A label that is not in
/// 0 ... C - 1 is an IndexError.
///   F::confusion_matrix(array({0, 1, 1, 1}), array({0, 0, 1, 1}))  // [[1, 1], [0, 2]]
inline constexpr struct ConfusionMatrix {
  static constexpr std::string_view name = "confusion_matrix";
  Variable operator()(const Variable& y, const Variable& t, const ConfusionMatrixOptions& options = {}) const;
} confusion_matrix{};

/// The share of labels t (N, d1, ...) that are among the k largest scores of y (N, C, d1, ...) along axis 1. Of equal
/// scores the last ones count as larger, as in scikit-learn. k must be in 1 ... C (ValueError).
///   F::top_k_accuracy(array({{0.1f, 0.7f, 0.2f}, {0.5f, 0.3f, 0.2f}}), array({2, 2}), 2)  // 0.5
inline constexpr struct TopKAccuracy {
  static constexpr std::string_view name = "top_k_accuracy";
  Variable operator()(const Variable& y, const Variable& t, int64_t k = 5,
                      std::optional<int64_t> ignore_label = {}) const;
} top_k_accuracy{};

/// How many labels a language model hesitates between: exp of the mean of -log softmax(y) at the labels, for y
/// (N, C, d1, ...) and t (N, d1, ...). Labels of ignore_label do not count; where none is left it is NaN.
///   F::perplexity(array({{0.f, 0.f, 0.f, 0.f}}), array({2}))  // 4
inline constexpr struct Perplexity {
  static constexpr std::string_view name = "perplexity";
  Variable operator()(const Variable& y, const Variable& t, int64_t ignore_label = -1) const;
} perplexity{};

/// The area under points (x, y) by the trapezoidal rule; x goes up or down throughout (ValueError).
///   F::area_under_curve(array({0.0, 0.5, 1.0}), array({0.0, 1.0, 1.0}))  // 0.75
inline constexpr struct AreaUnderCurve {
  static constexpr std::string_view name = "area_under_curve";
  Variable operator()(const Variable& x, const Variable& y) const;
} area_under_curve{};

/// The receiver operating characteristic of scores y (N) for labels t (N) in {0, 1}: the rates of false and of true
/// positives among the elements with a score of each threshold or more, thresholds falling from infinity. Both labels
/// must occur (ValueError), and no score may be NaN. `drop_intermediate` leaves out points on straight lines.
///   F::roc_curve(array({0.1f, 0.4f, 0.35f, 0.8f}), array({0, 0, 1, 1})).tpr  // [0, 0.5, 0.5, 1, 1]
inline constexpr struct RocCurve {
  static constexpr std::string_view name = "roc_curve";
  struct Result {
    Variable fpr, tpr, thresholds;
  };
  Result operator()(const Variable& y, const Variable& t, bool drop_intermediate = true) const;
} roc_curve{};

/// The area under roc_curve(y, t). For y (N, C) and labels t in 0 ... C - 1 it is the mean over the labels, each
/// against all others.
///   F::roc_auc(array({0.1f, 0.4f, 0.35f, 0.8f}), array({0, 0, 1, 1}))  // 0.75
inline constexpr struct RocAuc {
  static constexpr std::string_view name = "roc_auc";
  Variable operator()(const Variable& y, const Variable& t) const;
} roc_auc{};

/// Precision and recall of scores y (N) for labels t (N) in {0, 1} among the elements with a score of each threshold or
/// more, thresholds rising; the last point, precision 1 at recall 0, has none.
///   F::precision_recall_curve(array({0.1f, 0.4f, 0.35f, 0.8f}), array({0, 0, 1, 1})).recall  // [1, 1, 0.5, 0.5, 0]
inline constexpr struct PrecisionRecallCurve {
  static constexpr std::string_view name = "precision_recall_curve";
  struct Result {
    Variable precision, recall, thresholds;
  };
  Result operator()(const Variable& y, const Variable& t) const;
} precision_recall_curve{};

/// The area under the precision-recall curve as a sum of steps: the mean of the precisions, weighted by the recall that
/// each adds. For y (N, C) the mean over the labels.
///   F::average_precision(array({0.1f, 0.4f, 0.35f, 0.8f}), array({0, 0, 1, 1}))  // 0.8333
inline constexpr struct AveragePrecision {
  static constexpr std::string_view name = "average_precision";
  Variable operator()(const Variable& y, const Variable& t) const;
} average_precision{};

/// How probabilities and what came agree, bin by bin of equal width: the mean probability, the share of elements where
/// it came true, and their number, of the bins that are not empty. y is the probability of label 1 (N) for t in {0, 1},
/// or (N, C): then the largest probability counts, and whether it is the label's. Numbers outside 0 ... 1 are a
/// ValueError.
///   F::calibration_curve(array({0.2f, 0.3f, 0.9f}), array({0, 1, 1}), 2).prob_true  // [0.5, 1]
inline constexpr struct CalibrationCurve {
  static constexpr std::string_view name = "calibration_curve";
  struct Result {
    Variable prob_true, prob_pred, count;
  };
  Result operator()(const Variable& y, const Variable& t, int64_t bins = 10) const;
} calibration_curve{};

/// The expected calibration error: the mean of |prob_true - prob_pred| of calibration_curve(), weighted by the numbers
/// of elements.
///   F::calibration_error(array({0.2f, 0.3f, 0.9f}), array({0, 1, 1}), 2)  // 0.2
inline constexpr struct CalibrationError {
  static constexpr std::string_view name = "calibration_error";
  Variable operator()(const Variable& y, const Variable& t, int64_t bins = 10) const;
} calibration_error{};

/// The peak signal-to-noise ratio of x against the true pictures y of the same shape: 10 log10(range^2 / mean((x -
/// y)^2)), where the pixels' values span `data_range`. Equal pictures have infinity.
///   F::psnr(array({0.f, 0.5f}), array({0.f, 0.6f}))  // 23.0103
inline constexpr struct Psnr {
  static constexpr std::string_view name = "psnr";
  Variable operator()(const Variable& x, const Variable& y, double data_range = 1) const;
} psnr{};

/// Options of ssim().
struct SsimOptions {
  double data_range = 1;              ///< what the pixels' values span
  int64_t win_size = 7;               ///< odd; with gaussian_weights 2 round(3.5 sigma) + 1 instead
  bool gaussian_weights = false;      ///< windows weighted by a bell of width sigma, as in the paper
  double sigma = 1.5;                 ///< of the bell
  bool use_sample_covariance = true;  ///< divided by n - 1; false as in the paper
  double K1 = 0.01, K2 = 0.03;        ///< keep quotients of dark and flat windows finite
};
/// The mean structural similarity (Wang et al. 2004) of pictures x and y (..., H, W) over all windows that lie inside.
/// Pictures smaller than a window are a DimensionError.
///   F::ssim(ones({1, 8, 8}), ones({1, 8, 8}))  // 1
inline constexpr struct Ssim {
  static constexpr std::string_view name = "ssim";
  Variable operator()(const Variable& x, const Variable& y, const SsimOptions& options = {}) const;
} ssim{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
