// SPDX-License-Identifier: MIT
#include "chainer/mn/datasets.h"
#include "chainer/routines/random.h"

namespace chainer::mn {
namespace {

// Examples received from another rank.
struct Received : Dataset {
  explicit Received(Examples e) : examples(std::make_shared<const Examples>(std::move(e))) {}
  int64_t size() const override { return static_cast<int64_t>(examples->size()); }
  Example get(int64_t i) const override { return (*examples)[static_cast<std::size_t>(i)]; }
  std::shared_ptr<const Examples> examples;
};

int64_t bytes_of(const Example& e) {
  int64_t n = 64;
  for (const Array& a : e.arrays()) n += 64 + (a ? a.nbytes() : 0);
  return n;
}

Object error_object(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) { return Object(e.what()); } catch (...) {
    return Object("an exception that is no std::exception");
  }
}

// Detects whether random numbers were drawn since its construction, from the generator of examples or the global one.
class Draws {
 public:
  bool any() const {
    auto before = example_, after = dataset::example_random();
    const random::State now = random::global().state();
    return before.next() != after.next() || now.position != global_.position || now.key != global_.key ||
           now.has_gauss != global_.has_gauss || now.bulk_counter != global_.bulk_counter;
  }

 private:
  dataset::ExampleRandom example_ = dataset::example_random();
  random::State global_ = random::global().state();
};

}  // namespace

std::pair<int64_t, int64_t> shard_of(int64_t n, int rank, int size) {
  const int64_t begin = n * rank / size;
  return {begin, std::min(n, begin + (n + size - 1) / size)};
}

AnyDataset scatter_dataset(const AnyDataset& dataset, const Communicator& comm, const ScatterDatasetOptions& o) {
  if (o.max_buf_len <= 0 || o.max_buf_len >= 2147483647)
    throw ValueError("scatter_dataset: max_buf_len must be from 1 to 2147483646, not ", o.max_buf_len);
  if (o.root < 0 || o.root >= comm->size())
    throw ValueError("scatter_dataset: root ", o.root, " is out of range for ", comm->size(), " ranks");
  const bool root = comm->rank() == o.root;
  // Broadcasts the number of examples, or the text of an error.
  Object head;
  std::exception_ptr failure;
  if (root) {
    try {
      head = dataset ? Object(dataset.size()) : Object("the dataset is none");
    } catch (...) { head = error_object(failure = std::current_exception()); }
  }
  head = comm->bcast_obj(head, {.root = o.root});
  if (failure) std::rethrow_exception(failure);
  if (const auto* what = std::get_if<std::string>(&head.variant()))
    throw ValueError("scatter_dataset: rank ", o.root, ": ", *what);
  const int64_t n = head.to_int();
  if (!root) {
    Examples mine;
    while (true) {
      const Object piece = comm->recv_obj(o.root);
      if (piece.to_list().empty()) break;
      for (const Object& e : piece.to_list()) mine.push_back(to_example(e));
    }
    const Object end = comm->bcast_obj(Object(), {.root = o.root});
    if (const auto* what = std::get_if<std::string>(&end.variant()))
      throw RuntimeError("scatter_dataset: rank ", o.root, ": ", *what);
    return Received(std::move(mine));
  }
  std::optional<std::vector<int64_t>> order;
  if (o.shuffle) {
    const Array p = o.seed ? random::RandomState(*o.seed).permutation(n) : random::permutation(n);
    order = p.to_vector<int64_t>();
  }
  const auto at = [&](int64_t i) { return order ? (*order)[static_cast<std::size_t>(i)] : i; };
  for (int r = 0; r < comm->size(); ++r) {
    if (r == o.root) continue;
    const auto [begin, end] = shard_of(n, r, comm->size());
    ObjectList piece;
    int64_t bytes = 0;
    const auto flush = [&] {
      comm->send_obj(Object(std::move(piece)), r);
      piece.clear();
      bytes = 0;
    };
    try {
      for (int64_t i = begin; i < end && !failure; ++i) {
        const Draws draws;
        const Example e = dataset[at(i)];
        if (draws.any())
          throw ValueError("scatter_dataset: example ", at(i),
                           " is drawn anew at each visit, which would be frozen on "
                           "all ranks but ",
                           o.root,
                           ": scatter the dataset without its random transforms, and let each "
                           "rank wrap its part in a TransformDataset");
        if (!piece.empty() && bytes + bytes_of(e) > o.max_buf_len) flush();
        bytes += bytes_of(e);
        piece.push_back(to_object(e));
      }
      if (!piece.empty()) flush();
    } catch (...) { failure = std::current_exception(); }
    piece.clear();
    flush();  // an empty piece is the last
  }
  // Ranks that have all their examples also wait for the end, to learn of an error in those of others.
  (void)comm->bcast_obj(failure ? error_object(failure) : Object(), {.root = o.root});
  if (failure) std::rethrow_exception(failure);
  const auto [begin, end] = shard_of(n, o.root, comm->size());
  return chainer::datasets::SubDataset(dataset, begin, end, std::move(order));
}

}  // namespace chainer::mn
