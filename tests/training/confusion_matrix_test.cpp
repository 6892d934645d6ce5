// SPDX-License-Identifier: MIT
// Pictures of confusion matrices.
#include <chainer/viewing/plot/figure.h>
#include <chainer/viewing/plot/matrix.h>

#include "chainer/core/system/file.h"
#include "small_run.h"
#include "test.h"

TEST(confusion_matrices_become_pictures) {
  L::Classifier model(MLP(20, 10));
  auto optimizer = optimizers::Adam().setup(model);
  iterators::SerialIterator it(teacher_data(60), 20), sweep(teacher_data(60), 20, {.repeat = false, .shuffle = false});
  StandardUpdater updater(it, optimizer);
  Trainer trainer(updater, {2, "epoch"}, {.out = out("confusion")});
  const auto report = std::make_shared<extensions::ConfusionMatrixReport>(
      sweep, model.predictor(), extensions::ConfusionMatrixReportOptions{.file_name = "matrix.svg"});
  trainer.extend(report);
  trainer.run();
  EXPECT_EQ(sum(report->counts()).item<int64_t>(), 60);
  EXPECT(fs::exists(out("confusion") + "/matrix.svg"));
  EXPECT_THROW(ValueError, "the iterator repeats", extensions::ConfusionMatrixReport(it, model.predictor()));
}

TEST(matrices_of_many_classes) {
  if (!plot::available()) return EXPECT(true);
  plot::save({.counts = eye(1500)}, out("large.png"));
  // The size of a PNG is in its header: 8192 of cells, and space for names.
  const std::string png = read_file(out("large.png"));
  const auto width = static_cast<unsigned char>(png[18]) * 256 + static_cast<unsigned char>(png[19]);
  EXPECT(width > 8192 && width < 8400);
}

TEST(matrices_that_are_none) {
  EXPECT_THROW(DimensionError, "must be square, not of shape (2, 3)",
               plot::save({.counts = zeros({2, 3})}, out("m.svg")));
  EXPECT_THROW(DimensionError, "but 1 labels", plot::save({.counts = zeros({2, 2}), .labels = {"a"}}, out("m.svg")));
}
