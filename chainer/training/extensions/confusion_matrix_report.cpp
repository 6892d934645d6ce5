// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/confusion_matrix_report.h"

#include "chainer/autograd/config.h"
#include "chainer/functions/evaluation/metrics.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/viewing/plot/figure.h"
#include "chainer/viewing/plot/matrix.h"

namespace chainer::training::extensions {

ConfusionMatrixReport::ConfusionMatrixReport(NamedKept<Iterator> iterator, NamedKept<Link> predictor,
                                             const ConfusionMatrixReportOptions& options)
    : iterator_(std::move(iterator)), predictor_(std::move(predictor)), options_(options) {
  if (iterator_.get("main").repeat())
    throw ValueError("ConfusionMatrixReport: the iterator repeats; construct it with .repeat = false");
}

void ConfusionMatrixReport::operator()(Trainer& trainer) {
  const UsingConfig test_mode(&Config::train, false);
  const NoBackpropMode no_graph;
  Iterator& iterator = iterator_.get("main");
  iterator.reset();
  counts_ = Array();
  while (const std::optional<Examples> batch = iterator.try_next()) {
    const Example example =
        options_.converter ? options_.converter(*batch, options_.device) : concat_examples(*batch, options_.device);
    const std::vector<Array> arrays(example.arrays().begin(), example.arrays().end());
    if (arrays.size() != 2)
      throw ValueError("ConfusionMatrixReport: examples have ", arrays.size(), " arrays, expected 2 (input and label)");
    const Variable y = call_link(predictor_.get("main"), Example(arrays[0]));
    const Array more = F::confusion_matrix(y, Variable(arrays[1])).array();
    counts_ = counts_ ? counts_ + more : more;
  }
  if (counts_ && plot::available(options_.file_name))
    plot::save(plot::Matrix{.counts = counts_, .labels = options_.labels}, trainer.out() / options_.file_name);
}

}  // namespace chainer::training::extensions
