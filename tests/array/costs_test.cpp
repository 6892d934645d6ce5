// SPDX-License-Identifier: MIT
// Costs are linear in the work: operations on arrays, and evaluations of deferred operations.
#include "costs.h"

#include <chainer/array/deferred/deferred.h>
#include <chainer/chainer.h>

#include "chainer/core/parallel.h"

using namespace chainer;

namespace {

struct Cost {
  const char* name;
  int n;                             // the smallest size
  std::function<void(int64_t)> run;  // takes time proportional to n or n log n
};

constexpr int64_t kLong = 2048;  // enough elements for deferred evaluation
Array waiting() { return ones({kLong}); }

// Arrays that n computations read; some have other lengths.
Arrays of_lengths(int64_t n) {
  Arrays out;
  for (int64_t i = 0; i < n; ++i) out.push_back(ones({kLong + i % 64}));
  return out;
}

std::vector<Cost> table() {
  return {
      {"sums, read one by one", 2000,
       [](int64_t n) {
         Arrays sums;
         for (int64_t i = 0; i < n; ++i) sums.push_back(sum(waiting()));
         for (const Array& s : sums) (void)s.raw();
       }},
      {"sums of one array", 500,
       [](int64_t n) {
         const Array x = waiting();
         Arrays sums;
         for (int64_t i = 0; i < n; ++i) sums.push_back(sum(x));
         for (const Array& s : sums) (void)s.raw();
       }},
      {"sums of rows and columns of one array", 500,
       [](int64_t n) {
         const Array x = ones({64, 64});
         Arrays sums;
         for (int64_t i = 0; i < n; ++i) sums.push_back(sum(x, i % 2));
         for (const Array& s : sums) (void)s.raw();
       }},
      {"products with one number, of many lengths", 1000,
       [](int64_t n) {
         const Array factor = full({1}, 3);
         Arrays products;
         for (const Array& x : of_lengths(n)) products.push_back(x * factor);
         for (const Array& p : products) (void)p.raw();
       }},
      {"products with one number and their sums", 1000,
       [](int64_t n) {
         const Array factor = full({1}, 3);
         Arrays sums;
         for (const Array& x : of_lengths(n)) sums.push_back(sum(exp(x * factor)));
         for (const Array& s : sums) (void)s.raw();
       }},
      {"all evaluated together", 1000,
       [](int64_t n) {
         Arrays all;
         for (const Array& x : of_lengths(n)) all.push_back(x * 2);
         deferred::evaluate({all.data(), all.size()});
       }},
      {"all evaluated together, each with a sum of its own", 1000,
       [](int64_t n) {
         Arrays all;
         for (int64_t i = 0; i < n; ++i) {
           const Array x = waiting();
           all.push_back(x - sum(x));
         }
         deferred::evaluate({all.data(), all.size()});
       }},
      {"writes to arrays that are read", 1000,
       [](int64_t n) {
         Arrays xs = of_lengths(n), ys;
         for (const Array& x : xs) ys.push_back(x * 2);
         for (Array& x : xs) x.fill(0);
       }},
      {"a write to an array with n readers", 1000,
       [](int64_t n) {
         Array x = waiting();
         Arrays ys;
         for (int64_t i = 0; i < n; ++i) ys.push_back(x * static_cast<double>(i));
         x.fill(0);
       }},
      {"dropped unread", 4000,
       [](int64_t n) {
         Arrays ys;
         for (int64_t i = 0; i < n; ++i) ys.push_back(waiting() * 2);
       }},
      {"a chain, every link held", 500,
       [](int64_t n) {
         Arrays chain{waiting()};
         for (int64_t i = 0; i < n; ++i) chain.push_back(chain.back() * 1.0001 + 1);
         (void)chain.back().raw();
       }},
      {"a chain of sums", 500,
       [](int64_t n) {
         Array x = waiting();
         for (int64_t i = 0; i < n; ++i) x = x - sum(x) / static_cast<double>(kLong);
         (void)x.raw();
       }},
      {"views of one array, written one by one", 1000,
       [](int64_t n) {
         Array x = ones({n, 64});
         Arrays views;
         for (int64_t i = 0; i < n; ++i) views.push_back(x[i]);
         for (Array& v : views) v += 1;
       }},
      {"concatenate, split", 500,
       [](int64_t n) {
         Arrays parts;
         for (int64_t i = 0; i < n; ++i) parts.push_back(ones({4, 8}));
         (void)array_split(concatenate(parts), n).back().raw();
       }},
      {"sort, unique", 20000,
       [](int64_t n) {
         const Array x = random::rand({n});
         (void)sort(x).raw();
         (void)unique(x).values.raw();
       }},
      {"by index and mask", 20000,
       [](int64_t n) {
         Array x = random::rand({n});
         const Array at = random::permutation(n);
         (void)x[at].raw();
         (void)x[x > 0.5].raw();
         add_at(x, {at}, x.copy());
       }},
  };
}

}  // namespace

TEST(costs_grow_with_the_work) {
  cpu::set_thread_count(1);
  for (const Cost& c : table()) costs::expect_linear(c.name, c.n, [&](int n) { return [&c, n] { c.run(n); }; });
  cpu::set_thread_count(0);
}
