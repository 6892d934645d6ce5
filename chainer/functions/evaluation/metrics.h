// SPDX-License-Identifier: MIT
// F: metrics that papers report next to accuracy: confusion, curves over thresholds, calibration, pictures. No
// gradients. Values agree with those of scikit-learn and scikit-image (tests/interop/run_metrics). Results are float64,
// unless the comment names another dtype.
// Errors: every function throws InvalidType if scores are not floating, labels are not integers, or numbers of axes or
// shapes do not match; DimensionError if the lengths of y do not match t. See functions.h for what all functions share.
#pragma once
#include <optional>
#include <string>

#include "chainer/autograd/variable.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace functions {

/// What a confusion matrix is divided by: nothing, the sums of its rows, the sums of its columns, or the total.
enum class ConfusionShare { count, truth, predicted, all };
/// Options of confusion_matrix().
struct ConfusionMatrixOptions {
  std::optional<int64_t> label_num = {};         ///< the number of labels, by default C, or the largest plus one
  int64_t ignore_label = -1;                     ///< elements with this label do not count
  ConfusionShare share = ConfusionShare::count;  ///< values other than count give float64; 0 for a sum of 0
};
/// Counts the elements of each true label (rows) that were predicted as each label (columns): int64
/// (label_num, label_num). y is (N, C, d1, ...), whose argmax along axis 1 counts, or predicted labels in the shape of
/// t; t is (N, d1, ...). Throws IndexError for a label that is not in 0 ... label_num - 1, ValueError if label_num is
/// negative, DimensionError if the shapes differ.
///   F::confusion_matrix(array({0, 1, 1, 1}), array({0, 0, 1, 1}))  // [[1, 1], [0, 2]]
inline constexpr struct ConfusionMatrix {
  static constexpr std::string_view name = "confusion_matrix";
  Variable operator()(const Variable& y, const Variable& t, const ConfusionMatrixOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(confusion_matrix, ".label_num, .ignore_label, .share", const Variable&, const Variable&);
} confusion_matrix{};

/// Computes the fraction of labels t (N, d1, ...) that are among the k largest scores of y (N, C, d1, ...) along
/// axis 1, as shape (). Of equal scores the last ones count as larger, as in scikit-learn. Throws ValueError unless k
/// is in 1 ... C, IndexError for a label that is not in 0 ... C - 1 and not ignore_label.
///   F::top_k_accuracy(array({{0.1f, 0.7f, 0.2f}, {0.5f, 0.3f, 0.2f}}), array({2, 2}), 2)  // 0.5
inline constexpr struct TopKAccuracy {
  static constexpr std::string_view name = "top_k_accuracy";
  Variable operator()(const Variable& y, const Variable& t, int64_t k = 5,
                      std::optional<int64_t> ignore_label = {}) const;
} top_k_accuracy{};

/// Computes exp of the mean of -log softmax(y) at the labels, for y (N, C, d1, ...) and t (N, d1, ...), as shape ():
/// the effective number of labels between which a language model is undecided. Labels of ignore_label do not count; if
/// none is left, the result is NaN. Throws IndexError for any other label that is not in 0 ... C - 1.
///   F::perplexity(array({{0.f, 0.f, 0.f, 0.f}}), array({2}))  // 4
inline constexpr struct Perplexity {
  static constexpr std::string_view name = "perplexity";
  Variable operator()(const Variable& y, const Variable& t, int64_t ignore_label = -1) const;
} perplexity{};

/// Computes the area under points x (n), y (n) by the trapezoidal rule, as shape (). Throws ValueError unless n >= 2
/// and x only rises or only falls.
///   F::area_under_curve(array({0.0, 0.5, 1.0}), array({0.0, 1.0, 1.0}))  // 0.75
inline constexpr struct AreaUnderCurve {
  static constexpr std::string_view name = "area_under_curve";
  Variable operator()(const Variable& x, const Variable& y) const;
} area_under_curve{};

/// Computes the receiver operating characteristic of scores y (N) for labels t (N) in {0, 1}: the false and the true
/// positive rate among the elements with a score of at least each threshold, thresholds falling from infinity; three
/// arrays of one shape (n). `drop_intermediate` leaves out points on straight lines. Throws ValueError unless both
/// labels occur, for other labels, and for a score of NaN.
///   F::roc_curve(array({0.1f, 0.4f, 0.35f, 0.8f}), array({0, 0, 1, 1})).tpr  // [0, 0.5, 0.5, 1, 1]
inline constexpr struct RocCurve {
  static constexpr std::string_view name = "roc_curve";
  struct Result {
    Variable fpr, tpr, thresholds;
  };
  Result operator()(const Variable& y, const Variable& t, bool drop_intermediate = true) const;
} roc_curve{};

/// Computes the area under roc_curve(y, t), as shape (). For y (N, C) and labels t in 0 ... C - 1 it is the mean over
/// the labels, each against all others. Throws ValueError as roc_curve(), for y (N, C) unless each label occurs,
/// IndexError for a label that is not in 0 ... C - 1.
///   F::roc_auc(array({0.1f, 0.4f, 0.35f, 0.8f}), array({0, 0, 1, 1}))  // 0.75
inline constexpr struct RocAuc {
  static constexpr std::string_view name = "roc_auc";
  Variable operator()(const Variable& y, const Variable& t) const;
} roc_auc{};

/// Computes precision and recall, shape (n + 1), of scores y (N) for labels t (N) in {0, 1} among the elements with a
/// score of at least each threshold, shape (n), thresholds rising. The last point, precision 1 at recall 0, has no
/// threshold. Throws ValueError unless label 1 occurs, for other labels than 0 and 1, and for a score of NaN.
///   F::precision_recall_curve(array({0.1f, 0.4f, 0.35f, 0.8f}), array({0, 0, 1, 1})).recall  // [1, 1, 0.5, 0.5, 0]
inline constexpr struct PrecisionRecallCurve {
  static constexpr std::string_view name = "precision_recall_curve";
  struct Result {
    Variable precision, recall, thresholds;
  };
  Result operator()(const Variable& y, const Variable& t) const;
} precision_recall_curve{};

/// Computes the area under the precision-recall curve as a sum of steps, as shape (): the mean of the precisions,
/// weighted by the recall that each adds. For y (N, C) it is the mean over the labels. Throws ValueError as
/// precision_recall_curve(), for y (N, C) unless each label occurs, IndexError for a label that is not in 0 ... C - 1.
///   F::average_precision(array({0.1f, 0.4f, 0.35f, 0.8f}), array({0, 0, 1, 1}))  // 0.8333
inline constexpr struct AveragePrecision {
  static constexpr std::string_view name = "average_precision";
  Variable operator()(const Variable& y, const Variable& t) const;
} average_precision{};

/// Compares predicted probabilities with outcomes in bins of equal width: the mean probability, the fraction of
/// elements whose label came true, and the number of elements of each bin that is not empty; three arrays of one
/// shape (n). y is the probability of label 1 (N) for t in {0, 1}, or (N, C): then the largest probability counts, and
/// whether it is at the label. Throws ValueError unless bins > 0 and for numbers outside of 0 ... 1, IndexError for a
/// label that is not in 0 ... C - 1.
///   F::calibration_curve(array({0.2f, 0.3f, 0.9f}), array({0, 1, 1}), 2).prob_true  // [0.5, 1]
inline constexpr struct CalibrationCurve {
  static constexpr std::string_view name = "calibration_curve";
  struct Result {
    Variable prob_true, prob_pred, count;
  };
  Result operator()(const Variable& y, const Variable& t, int64_t bins = 10) const;
} calibration_curve{};

/// Computes the expected calibration error, as shape (): the mean of |prob_true - prob_pred| of calibration_curve(),
/// weighted by the counts. Inputs and errors as calibration_curve().
///   F::calibration_error(array({0.2f, 0.3f, 0.9f}), array({0, 1, 1}), 2)  // 0.2
inline constexpr struct CalibrationError {
  static constexpr std::string_view name = "calibration_error";
  Variable operator()(const Variable& y, const Variable& t, int64_t bins = 10) const;
} calibration_error{};

/// Computes the peak signal-to-noise ratio of x against reference pictures y of the same shape, as shape (): 10
/// log10(data_range^2 / mean((x - y)^2)), infinity for equal pictures. `data_range` is the range of the pixel values.
/// Throws ValueError unless data_range > 0, DimensionError if there are no pixels.
///   F::psnr(array({0.f, 0.5f}), array({0.f, 0.6f}))  // 23.0103
inline constexpr struct Psnr {
  static constexpr std::string_view name = "psnr";
  Variable operator()(const Variable& x, const Variable& y, double data_range = 1) const;
} psnr{};

/// Options of ssim().
struct SsimOptions {
  double data_range = 1;              ///< the range of the pixel values
  int64_t win_size = 7;               ///< odd; with gaussian_weights 2 round(3.5 sigma) + 1 instead
  bool gaussian_weights = false;      ///< weights windows by a Gaussian of width sigma, as in the paper
  double sigma = 1.5;                 ///< standard deviation of the Gaussian, in pixels
  bool use_sample_covariance = true;  ///< divides by n - 1; false divides by n, as in the paper
  double K1 = 0.01, K2 = 0.03;        ///< keep the quotients of dark and flat windows finite
};
/// Computes the mean structural similarity of pictures x and y, both (..., H, W), over all windows that lie inside, as
/// shape (). Throws ValueError unless data_range, sigma and an odd win_size are positive, DimensionError if the
/// pictures are smaller than a window. Wang et al., 2004.
///   F::ssim(ones({1, 8, 8}), ones({1, 8, 8}))  // 1
inline constexpr struct Ssim {
  static constexpr std::string_view name = "ssim";
  Variable operator()(const Variable& x, const Variable& y, const SsimOptions& options = {}) const;
  CHAINER_OTHER_OPTIONS_CALL(ssim,
                             ".data_range, .win_size, .gaussian_weights, .sigma, .use_sample_covariance, .K1, .K2",
                             const Variable&, const Variable&);
} ssim{};

}  // namespace functions
namespace F = functions;
}  // namespace chainer
