// SPDX-License-Identifier: MIT
// Times the input of a training step: decoding pictures, joining batches, reading by workers, and the iterator's share
// of training on data of MNIST's size. bench_data [decode|join|feed|mnist]; by default all except reading by processes,
// which requires `feed` alone. For peers/pictures.py:
//   bench_data write FOLDER                                    writes JPEG files
//   bench_data read FOLDER small|large crop|resized WORKERS none|processes|threads SECONDS   prints pictures per second
// For peers/tables.py:
//   bench_data table FILE THREADS                              prints milliseconds and sums
// For peers/tokens.py:
//   bench_data tokens TOKENIZER FILE                           prints milliseconds, the number of tokens and their sum
// For peers/evaluation.py:
//   bench_data evaluate SECONDS                                prints milliseconds of an evaluation
#include <chainer/chainer.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "chainer/core/parallel.h"
#include "chainer/core/thread_share.h"
#include "chainer/datasets/image.h"
#include "chainer/tokenizers/tokenizer.h"

using namespace chainer;

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
// Of many calls, in milliseconds. The minimum approximates the time on an idle machine.
struct Times {
  double middle, least;
};
template <class F>
Times times(int calls, F&& f) {
  std::vector<double> all;
  for (int i = 0; i < calls; ++i) {
    const double begin = seconds();
    f();
    all.push_back((seconds() - begin) * 1e3);
  }
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all[0]};
}

// A picture with edges, gradients and noise, so that its JPEG has a photograph's size.
std::string jpeg(int64_t height, int64_t width, uint32_t seed) {
  Array pixels({height, width, 3}, uint8);
  auto* p = pixels.mutable_data<uint8_t>();
  dataset::ExampleRandom r(seed);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < 3; ++c) {
        const double wave =
            60 * std::sin(static_cast<double>(x * (c + 1)) / 23) * std::cos(static_cast<double>(y) / 17);
        const double v = 120 + wave + ((x / 40 + y / 40) % 2 ? 25 : -25) + 24 * (r.uniform() - 0.5);
        *p++ = static_cast<uint8_t>(std::clamp(v, 0.0, 255.0));
      }
  return dataset::encode_jpeg(pixels, 85);
}

struct Jpegs : Dataset {
  explicit Jpegs(std::vector<std::string> files) : files(std::move(files)) {}
  int64_t size() const override { return 400; }
  Example get(int64_t i) const override {
    const auto& file = files[static_cast<std::size_t>(i) % files.size()];
    const Array x = dataset::picture_array(dataset::decode_picture(file, "memory"), float32);
    return {transforms::random_flip(transforms::random_crop(x, 224, 224)).copy(), array(int32_t(i % 10))};
  }
  std::vector<std::string> files;
};

// Alternates one and two workers; the best round of each counts.
void feed(const std::vector<std::string>& files) {
  const Jpegs data(files);
  // Processes first: they can be forked only before threads are started.
  for (const bool processes : {true, false}) {
    std::unique_ptr<Iterator> iterator[2];
    double rate[2] = {0, 0};
    for (int n : {1, 2}) {
      if (processes)
        iterator[n - 1] = std::make_unique<iterators::MultiprocessIterator>(
            data, 32, iterators::MultiprocessIteratorOptions{.n_processes = n, .n_prefetch = 2});
      else
        iterator[n - 1] =
            std::make_unique<iterators::MultithreadIterator>(data, 32, iterators::IteratorOptions{.n_threads = n});
    }
    for (int round = 0; round < 4; ++round)
      for (int n : {0, 1}) {
        for (int i = 0; i < 3; ++i) (void)iterator[n]->next();  // skips batches that were read ahead
        constexpr int batches = 8;
        const double begin = seconds();
        for (int i = 0; i < batches; ++i) (void)iterator[n]->next();
        rate[n] = std::max(rate[n], batches * 32 / (seconds() - begin));
      }
    const char* const kind = processes ? "processes" : "threads";
    std::printf("feed 500x375 JPEG: 1 of %s %.0f pictures/s, 2 %.0f, %.2f times one\n", kind, rate[0], rate[1],
                rate[1] / rate[0]);
    for (auto& it : iterator) it->finalize();
  }
}

void write(const std::filesystem::path& folder) {
  for (uint32_t i = 0; i < 16; ++i) {
    std::ofstream(folder / text("small", i, ".jpg"), std::ios::binary) << jpeg(375, 500, i);
    std::ofstream(folder / text("large", i, ".jpg"), std::ios::binary) << jpeg(1500, 2000, i);
  }
}

// Pictures as for training on ImageNet: a part of 224 x 224, flipped at random, normalized.
void read(const std::filesystem::path& folder, const std::string& size, bool resized, int workers, bool processes,
          double duration) {
  std::vector<datasets::LabeledPaths::Pair> files;
  for (int64_t i = 0; i < 1600; ++i) files.emplace_back(text(size, i % 16, ".jpg"), i % 10);
  const Array mean = array({{{123.7f}}, {{116.3f}}, {{103.5f}}}), scale = 1 / array({{{58.4f}}, {{57.1f}}, {{57.4f}}});
  const datasets::LabeledImageDataset pictures(
      files, {.root = folder, .dtype = uint8, .least_side = resized ? int64_t(448) : int64_t(0)});
  const datasets::TransformDataset data(pictures, [=](const Example& e) -> Example {
    const Array x = resized ? transforms::random_resized_crop(e[0], 224, 224) : transforms::random_crop(e[0], 224, 224);
    return {((transforms::random_flip(x) - mean) * scale).copy(), e[1]};
  });
  std::unique_ptr<Iterator> it;
  if (workers == 0)
    it = std::make_unique<iterators::SerialIterator>(data, 32);
  else if (processes)
    it = std::make_unique<iterators::MultiprocessIterator>(
        data, 32, iterators::MultiprocessIteratorOptions{.n_processes = workers, .n_prefetch = 2});
  else
    it = std::make_unique<iterators::MultithreadIterator>(data, 32, iterators::IteratorOptions{.n_threads = workers});
  cpu::set_thread_count(1);
  const auto batch = [&] { (void)concat_examples(it->next()); };
  for (int i = 0; i < 2 + 2 * workers; ++i) batch();
  const double begin = seconds();
  int64_t count = 0;
  for (; seconds() - begin < duration; count += 32) batch();
  std::printf("%.1f\n", static_cast<double>(count) / (seconds() - begin));
  it->finalize();
}

// The numbers as one array, the last two columns as categories.
void table(const std::filesystem::path& file, int threads) {
  cpu::set_thread_count(threads);
  Array x;
  int64_t kinds = 0;
  const Times t = times(3, [&] {
    const datasets::CsvTable table = datasets::read_csv(file);
    const std::vector<std::string> names(table.names().begin(), table.names().end() - 2);
    x = table.columns(names);
    kinds = 0;
    for (std::size_t i = names.size(); i < table.names().size(); ++i)
      kinds += sum(table.categories(table.names()[i]).first.astype(int64)).item<int64_t>();
  });
  std::printf("%.1f %.9g %lld\n", t.middle, sum(x.astype(float64)).item<double>(), static_cast<long long>(kinds));
}

void mnist() {
  const auto [train, test] = datasets::get_drawn_digits({}, 6000, 10);
  L::Classifier model(Sequential(L::Linear(1000), F::relu, L::Linear(1000), F::relu, L::Linear(10)));
  auto optimizer = optimizers::Adam().setup(model);
  iterators::SerialIterator it(train, 100);
  const auto step = [&](const Array& x, const Array& t) {
    const Variable loss = model(x, t);
    model.cleargrads();
    loss.backward();
    optimizer.update();
  };
  const auto [x, t] = concat_examples<2>(it.next());
  step(x, t);
  // x = x: Clang 14 does not capture structured bindings.
  const Times bare = times(200, [&, x = x, t = t] { step(x, t); });
  const Times reading = times(400, [&] { (void)concat_examples<2>(it.next()); });
  std::printf("MNIST step of batch 100: %.2f ms (min %.2f); its batch from SerialIterator: %.3f ms (%.3f), %.1f %%\n",
              bare.middle, bare.least, reading.middle, reading.least, 100 * reading.least / bare.least);
}

// Encodes the lines of a file one by one.
void tokens(const std::string& tokenizer, const std::string& file) {
  const auto t = tokenizers::Tokenizer::load(tokenizer);
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  int64_t count = 0, sum = 0;
  const Times took = times(3, [&] {
    count = sum = 0;
    for (const std::string& line : lines)
      for (const int32_t id : t.encode(line, false)) ++count, sum += id;
  });
  std::printf("%.3f %lld %lld\n", took.least, static_cast<long long>(count), static_cast<long long>(sum));
}

// Evaluates a network of three affine maps on 10,000 examples of MNIST's size, in batches of 100.
void evaluate(double length) {
  Sequential mlp(L::Linear(784, 1000), F::relu, L::Linear(1000, 1000), F::relu, L::Linear(1000, 10));
  L::Classifier model(mlp);
  const datasets::TupleDataset data(random::uniform(0, 1, {10000, 784}, float32),
                                    random::randint(0, 10, {10000}).astype(int32));
  iterators::SerialIterator iterator(data, 100, {.repeat = false, .shuffle = false});
  training::extensions::Evaluator evaluator(iterator, model);
  std::vector<double> all;
  for (const double start = seconds(); seconds() - start < length || all.size() < 3;)
    all.push_back(times(1, [&] { (void)evaluator.run(); }).least);
  std::sort(all.begin(), all.end());
  std::printf("%.3f %.3f\n", all[all.size() / 2], all[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "tokens" && argc == 4) return tokens(argv[2], argv[3]), 0;
  if (what == "evaluate" && argc == 3) return evaluate(std::atof(argv[2])), 0;
  if (what == "table" && argc == 4) return table(argv[2], std::atoi(argv[3])), 0;
  if (what == "write" && argc == 3) return write(argv[2]), 0;
  if (what == "read" && argc == 8)
    return read(argv[2], argv[3], argv[4] == std::string("resized"), std::atoi(argv[5]),
                argv[6] == std::string("processes"), std::atof(argv[7])),
           0;
  const auto wanted = [&](const char* name) { return what.empty() || what == name; };
  if (dataset::has_jpeg() && (wanted("feed") || wanted("decode"))) {
    std::vector<std::string> files;
    for (uint32_t i = 0; i < 16; ++i) files.push_back(jpeg(375, 500, i));
    if (wanted("feed")) feed(files);
    if (wanted("decode")) {
      const std::string small = jpeg(32, 32, 0);
      const auto decode = [](const std::string& file) {
        (void)dataset::picture_array(dataset::decode_picture(file, "memory"), float32);
      };
      const Times few = times(4000, [&] { decode(small); }), many = times(300, [&] { decode(files[0]); });
      std::printf("decode JPEG 32x32 (%zu bytes): %.1f us (min %.1f)\n", small.size(), 1e3 * few.middle,
                  1e3 * few.least);
      std::printf("decode JPEG 500x375 (%zu bytes): %.2f ms (min %.2f)\n", files[0].size(), many.middle, many.least);
    }
  }
  if (wanted("join")) {
    Examples batch;
    for (int64_t i = 0; i < 256; ++i) batch.push_back(Example(full({3, 224, 224}, static_cast<double>(i), float32)));
    const cpu::ThreadShare one(1);
    (void)concat_examples(batch);
    const Times join = times(30, [&] { (void)concat_examples(batch); });
    std::printf("concat_examples, 256 of 3x224x224, one core: %.1f ms (min %.1f)\n", join.middle, join.least);
  }
  if (wanted("mnist")) mnist();
}
