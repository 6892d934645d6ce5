// SPDX-License-Identifier: MIT
// Event files for TensorBoard: framing and checksums, complete records after failures, resumed runs. Whether the
// published tensorboard can read the files is checked by tests/interop/run_tensorboard.
#include <chainer/core/system/file.h>
#include <chainer/training/extensions/html_report.h>
#include <chainer/training/extensions/tensorboard.h>
#include <chainer/viewing/tensorboard/records.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <thread>

#include "small_run.h"
#include "test.h"

namespace tensorboard_files {

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T v = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) v |= static_cast<T>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return v;
}
uint32_t masked(std::string_view bytes) {
  const uint32_t crc = tensorboard::crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}
// Returns the records of a file; checks each. While another thread writes, the last one may be incomplete.
std::vector<std::string> records(const fs::path& path, bool grows = false) {
  const std::string file = read_file(path);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < file.size();) {
    if (grows && file.size() - at < 16) break;
    EXPECT(file.size() - at >= 16);
    const std::string_view length(file.data() + at, 8);
    const auto n = static_cast<std::size_t>(number_at<uint64_t>(length, 0));
    EXPECT_EQ(number_at<uint32_t>(file, at + 8), masked(length));
    if (grows && file.size() - at - 16 < n) break;
    EXPECT(file.size() - at - 16 >= n);
    out.emplace_back(file, at + 12, n);
    EXPECT_EQ(number_at<uint32_t>(file, at + 12 + n), masked(out.back()));
    at += 16 + n;
  }
  return out;
}
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const auto& e : fs::directory_iterator(folder)) out.push_back(e.path());
  std::sort(out.begin(), out.end());
  return out;
}
std::size_t count(const std::vector<std::string>& records, std::string_view part) {
  return static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [&](const std::string& r) { return r.find(part) != std::string::npos; }));
}

}  // namespace tensorboard_files

TEST(checksums_are_those_of_castagnoli) {
  // The values of RFC 3720, section B.4, and the usual check value.
  EXPECT_EQ(tensorboard::crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(tensorboard::crc32c(""), 0u);
  EXPECT_EQ(tensorboard::crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(tensorboard::crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(an_event_file_is_whole_records_whoever_writes_them) {
  const fs::path to = folder / "board";
  {
    tensorboard::Writer board(to);
    EXPECT_EQ(tensorboard_files::records(board.path()).size(), std::size_t(1));  // the version is written immediately
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([&board, k] {
        for (int64_t i = 0; i < 5000; ++i) board.scalar(text("thread", k), 0.5 * static_cast<double>(i), i);
      });
    for (int i = 0; i < 20; ++i) (void)tensorboard_files::records(board.path(), true);  // as a concurrent reader would
    for (std::thread& t : threads) t.join();
    board.histogram("h", array({1.f, 2.f, NAN, INFINITY}), 1);
    board.histogram("none", array({NAN}), 1);
    board.histogram("same", ones({10}), 1);
    EXPECT_THROW(ValueError, "must be 1 or more, not 0", board.histogram("h", ones({3}), 1, 0));
    EXPECT_THROW(ValueError, "not shape (2, 4, 4)", board.image("i", ones({2, 4, 4}), 1));
    board.text("t", "words", 1);
  }
  const auto files = tensorboard_files::files_of(to);
  EXPECT_EQ(files.size(), std::size_t(1));
  const auto all = tensorboard_files::records(files[0]);
  EXPECT_EQ(all.size(), std::size_t(1 + 4 * 5000 + 3));
  for (int k = 0; k < 4; ++k) EXPECT_EQ(tensorboard_files::count(all, text("thread", k)), std::size_t(5000));
  EXPECT_THROW(FileError, "below a file", tensorboard::Writer(files[0] / "below a file"));
}

// The limits and counts of a histogram, of packed float64, which are its last two fields.
TEST(limits_of_histograms_increase) {
  const fs::path to = out("limits");
  const double largest = std::ldexp(1.0, 1023);
  {
    tensorboard::Writer board(to);
    board.histogram("same", full({3}, 2.0), 1, 4);
    board.histogram("wide", array({-largest, 0., largest}), 1, 4);
  }
  const auto all = tensorboard_files::records(tensorboard_files::files_of(to)[0]);
  const auto numbers = [&](std::size_t record, std::size_t field) {
    std::vector<double> v(4);
    const std::string& r = all[record];
    for (std::size_t i = 0; i < 4; ++i)
      v[i] = std::bit_cast<double>(tensorboard_files::number_at<uint64_t>(r, r.size() - 66 + 34 * field + 8 * i));
    return v;
  };
  using Numbers = std::vector<double>;
  EXPECT(numbers(1, 0) == (Numbers{1.75, 2, 2.25, 2.5}) && numbers(1, 1) == (Numbers{0, 0, 3, 0}));
  EXPECT(numbers(2, 0) == (Numbers{-largest / 2, 0, largest / 2, largest}));
  EXPECT(numbers(2, 1) == (Numbers{1, 0, 1, 1}));
}

TEST(a_trainer_tells_tensorboard_and_a_resumed_one_says_where_it_begins) {
  const auto run = [](int64_t epochs, const std::string& resume) {
    random::seed(3);
    L::Classifier model(MLP(5, 10));
    optimizers::SGD optimizer;
    optimizer.setup(model);
    iterators::SerialIterator batches(teacher_data(40), 10);
    StandardUpdater updater(batches, optimizer);
    Trainer trainer(updater, {epochs, "epoch"}, {.out = out("told")});
    trainer.extend(extensions::TensorBoard({.scalars = {2, "iteration"}}));
    trainer.extend(extensions::snapshot({.filename = "told_{.updater.iteration}"}));
    if (!resume.empty()) serializers::load_npz(out("told") + "/" + resume, trainer);
    trainer.run();
  };
  run(1, "");
  run(2, "told_4");
  EXPECT(!config().keep_graph_on_report);
  std::size_t graphs = 0;
  const auto files = tensorboard_files::files_of(folder / "told" / "tensorboard");
  EXPECT_EQ(files.size(), std::size_t(2));
  const std::string start = {'\x10', '\x05', '\x3a', '\x02', '\x08', '\x01'};  // step 5, session_log {status: START}
  std::size_t beginnings = 0;
  for (const fs::path& f : files) {
    const auto all = tensorboard_files::records(f);
    EXPECT_EQ(tensorboard_files::count(all, "main/loss"), std::size_t(2));
    EXPECT_EQ(tensorboard_files::count(all, "hyperparameters/lr"), std::size_t(2));
    EXPECT_EQ(tensorboard_files::count(all, "gradients/predictor/l1/W"), std::size_t(1));
    beginnings += tensorboard_files::count(all, start);
    graphs += tensorboard_files::count(all, "predictor/l1/LinearFunction");
  }
  EXPECT_EQ(beginnings, std::size_t(1));
  EXPECT_EQ(graphs, std::size_t(1));
}

TEST(runs_are_compared_by_means_over_epochs) {
  L::Classifier model(MLP(5, 10));
  auto optimizer = optimizers::SGD(0.1).setup(model);
  iterators::SerialIterator batches(teacher_data(40), 10);
  training::StandardUpdater updater(batches, optimizer);
  Trainer trainer(updater, {2, "epoch"}, {.out = out("compared")});
  trainer.extend(extensions::TensorBoard({.hparams = {{"units", 5.0}}, .graph = false}));
  trainer.extend(extensions::SaveArguments({{"units", "5"}}));
  trainer.run();
  const auto files = tensorboard_files::files_of(folder / "compared" / "tensorboard");
  const auto all = tensorboard_files::records(files.at(0));
  EXPECT_EQ(tensorboard_files::count(all, "epoch/main/loss"),
            std::size_t(3));  // one of the experiment and two of epochs
  EXPECT_EQ(tensorboard_files::count(all, "main/loss"), std::size_t(3 + 8));
  EXPECT_EQ(read_file(folder / "compared" / "args"), "{\n    \"units\": \"5\"\n}");
}

TEST(graphs_have_links_as_scopes) {
  const fs::path to = folder / "graphs";
  MLP net(5, 10);
  net.cleargrads();
  std::string path;
  {
    tensorboard::Writer board(to);
    path = board.path();
    Variable x(ones({2, 784}), false);
    x.set_name("/pictures of/dígits");
    const auto halves = F::split_axis(net(x), 2, 1);
    board.graph({F::sum(halves[1] * halves[0])}, {{"a link", &net}});
    EXPECT_THROW(ValueError, "the 1 outputs have no computational graph", board.graph({Variable(ones({1}))}, {}));
    EXPECT_THROW(ValueError, "the 0 outputs have no computational graph", board.graph({}, {}));
  }
  const auto all = tensorboard_files::records(path);
  EXPECT_EQ(all.size(), std::size_t(2));
  for (const char* name : {"a_link/l1/LinearFunction", "a_link/l1/W", "a_link/l2/b", "a_link/ReLU", "SplitAxis:1"})
    EXPECT(tensorboard_files::count(all, name) == 1);
  EXPECT(tensorboard_files::count(all, "d__gits") == 1);
}

TEST(whoever_wants_graphs_sees_them_and_gives_the_setting_back_in_any_order) {
  for (int first = 0; first < 3; ++first) {
    L::Classifier model(MLP(5, 10));
    auto optimizer = optimizers::SGD(0.1).setup(model);
    iterators::SerialIterator batches(teacher_data(40), 10);
    StandardUpdater updater(batches, optimizer);
    const std::string to = out(text("kept", first));
    Trainer trainer(updater, {2, "iteration"}, {.out = to});
    for (int i = 0; i < 3; ++i) {
      if ((first + i) % 3 == 0) trainer.extend(extensions::TensorBoard());
      if ((first + i) % 3 == 1) trainer.extend(extensions::dump_graph("main/loss"));
      if ((first + i) % 3 == 2) trainer.extend(extensions::HtmlReport());
    }
    bool kept = false;
    const auto look = [&](Trainer& t) {
      kept = kept || config().keep_graph_on_report;
      for (const auto& [key, v] : t.observation) kept = kept || (v.variable() && v.variable()->creator());
    };
    trainer.extend(look, {.priority = -1000000});
    trainer.run();
    EXPECT(!kept && !config().keep_graph_on_report);
    EXPECT(fs::exists(fs::path(to) / "cg.dot"));
    std::size_t graphs = 0;
    for (const fs::path& f : tensorboard_files::files_of(fs::path(to) / "tensorboard"))
      graphs += tensorboard_files::count(tensorboard_files::records(f), "predictor/l1/LinearFunction");
    EXPECT_EQ(graphs, std::size_t(1));
    EXPECT(read_file(fs::path(to) / "report.html").find("LinearFunction") != std::string::npos);
  }
}
