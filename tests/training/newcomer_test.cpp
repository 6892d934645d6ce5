// SPDX-License-Identifier: MIT
// The shortest form of common uses compiles and works as expected.
#include <sstream>

#include "small_run.h"
#include "test.h"

namespace {

template <class T>
std::string shown(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

struct Squares : Dataset {
  int64_t size() const override { return 10; }
  Example get(int64_t i) const override { return {array(i), array(i * i)}; }
};

// Throws for one example.
struct Damaged : Dataset {
  std::function<void()> thrower;
  explicit Damaged(std::function<void()> f) : thrower(std::move(f)) {}
  int64_t size() const override { return 8; }
  Example get(int64_t i) const override {
    if (i == 3) thrower();
    return {array(i)};
  }
};
struct OwnError : std::exception {
  const char* what() const noexcept override { return "my own problem"; }
};
struct OwnLibraryError : Error {
  using Error::Error;
};

}  // namespace

TEST(every_dataset_is_indexed_and_sliced) {
  const auto second = [](const Example& e) { return e[1].item<int64_t>(); };
  const Squares own;
  const datasets::TupleDataset tuple(arange(10), arange(10) * arange(10));
  const auto [train, test] = datasets::split_dataset(tuple, 7);
  const datasets::TransformDataset transformed(own, [](const Example& e) -> Example { return {e[0], e[1] + 1}; });
  EXPECT_EQ(second(own[3]), 9);
  EXPECT_EQ(second(own[-1]), 81);
  EXPECT_EQ(second(tuple[2]), 4);
  EXPECT_EQ(second(train[6]), 36);
  EXPECT_EQ(second(test[-3]), 49);
  EXPECT_EQ(second(transformed[3]), 10);
  EXPECT_EQ(datasets::DictDataset({{"x", arange(10)}})[4]["x"].item<int>(), 4);
  EXPECT_EQ(second(datasets::ConcatenatedDataset({own, tuple})[12]), 4);
  const Examples part = own[Slice(1, 8, 3)], two = test[{0, 2}], rest = tuple.slice(8, {});
  EXPECT(part.size() == 3 && second(part[2]) == 49);
  EXPECT(two.size() == 2 && second(two[1]) == 81);
  EXPECT(rest.size() == 2 && second(rest[0]) == 64);
  EXPECT_EQ(AnyDataset(own)[Slice({}, {}, -5)].size(), 2u);
  EXPECT_THROW(IndexError, "dataset: index 10 is out of range for 10 examples", own[10]);
}

TEST(arrays_go_to_streams) {
  const Array a = array({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_EQ(shown(a), to_string(a));
  EXPECT_EQ(shown(a > 2), to_string(a > 2));
  EXPECT_EQ(shown(Variable(a)), to_string(Variable(a)));
  EXPECT_EQ(shown(chainer::Parameter(a)), to_string(Variable(a)));
  EXPECT_EQ(shown(a.shape()) + " " + shown(a.dtype()) + " " + shown(a.device()), "(2, 2) float32 @cpu");
}

TEST(deviations_have_a_name_beside_the_standard_librarys) {
  const Array x = array({{1., 2.}, {3., 6.}});
  EXPECT_CLOSE(stddev(x, 0), array({1., 2.}));
  EXPECT_CLOSE(stddev(x, 0, false, 1), chainer::std(x, 0, false, 1));
}

TEST(lists_of_links_are_walked) {
  random::seed(0);
  ChainList list(L::Linear(2, 3), L::Linear(3, 4));
  Variable h(ones({1, 2}));
  for (Link& child : list) h = child.call({h})[0];
  EXPECT_EQ(h.shape(), (Shape{1, 4}));
  for (Link& child : ChainList()) child.cleargrads();
}

TEST(linear_takes_its_batch_axes_as_the_link_does) {
  random::seed(0);
  L::Linear link(4, 2);
  const Array x = random::normal(0, 1, {3, 5, 4}, float32);
  EXPECT_CLOSE(F::linear(x, link.W, *link.b, 2).array(), link(x, 2).array(), {.atol = 0, .rtol = 0});
  EXPECT_CLOSE(F::linear(x, link.W, *link.b, {.n_batch_axes = 2}).array(), link(x, 2).array(), {.atol = 0, .rtol = 0});
  EXPECT_EQ(F::linear(ones({3, 4}), link.W, *link.b, {}).shape(), (Shape{3, 2}));
}

TEST(one_enumeration_for_all_reductions) {
  const Array x = array({{0.f, 3.f}, {1.f, 1.f}}), t = array({{1.f, 0.f}, {1.f, 1.f}});
  EXPECT_CLOSE(F::huber_loss(x, t, 1, {.reduce = Reduction::no}).array(), array({{0.5f, 2.5f}, {0.f, 0.f}}));
  EXPECT_CLOSE(F::huber_loss(x, t, 1).array(), array({3.f, 0.f}));
  EXPECT_CLOSE(F::huber_loss(x, t, 1, {.reduce = F::Reduction::sum}).array(), array(3.f));
  EXPECT_CLOSE(F::huber_loss(x, t, 1, {.reduce = Reduction::mean}).array(), array(0.75f));
  EXPECT_THROW(ValueError, "softmax_cross_entropy: 'reduce' must be mean, sum or no",
               F::softmax_cross_entropy(x, array({0, 1}), {.reduce = Reduction::sum_along_second_axis}));
  EXPECT_THROW(ValueError, "sigmoid_cross_entropy: 'reduce' must be mean, sum or no",
               F::sigmoid_cross_entropy(x, array({{0, 1}, {1, 0}}), {.reduce = Reduction::sum_along_second_axis}));
}

TEST(what_get_throws_comes_out_with_its_index) {
  const auto with_each_iterator = [](const AnyDataset& d, const auto& check) {
    iterators::MultiprocessIterator processes(d, 4, {.shuffle = false, .n_processes = 2});
    check(processes, false);
    iterators::SerialIterator serial(d, 4, {.shuffle = false});
    check(serial, true);
    iterators::MultithreadIterator threads(d, 4, {.shuffle = false, .n_threads = 2});
    check(threads, true);
  };
  with_each_iterator(Damaged([] { throw OwnError(); }), [](Iterator& it, bool is_here) {
    try {
      (void)it.next();
      EXPECT(false);
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()), "example 3: my own problem");
      bool nested = false;
      try {
        std::rethrow_if_nested(e);
      } catch (const OwnError&) { nested = true; }
      EXPECT(nested || !is_here);
    }
  });
  with_each_iterator(Damaged([] { throw std::runtime_error("not there"); }), [](Iterator& it, bool) {
    EXPECT_THROW(Error, "example 3: not there", it.next());
    EXPECT_THROW(std::runtime_error, "example 3: not there", it.next());
  });
  with_each_iterator(Damaged([] { throw 42; }), [](Iterator& it, bool) {
    EXPECT_THROW(Error, "example 3: an exception that is no std::exception", it.next());
  });
  with_each_iterator(Damaged([] { throw FileError("a.png: damaged"); }),
                     [](Iterator& it, bool) { EXPECT_THROW(FileError, "example 3: a.png: damaged", it.next()); });
  with_each_iterator(Damaged([] { throw OwnLibraryError("odd"); }), [](Iterator& it, bool is_here) {
    if (is_here) EXPECT_THROW(OwnLibraryError, "in example 3", it.next());
    EXPECT_THROW(Error, "example 3", it.next());
  });
}
