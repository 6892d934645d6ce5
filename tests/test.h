// SPDX-License-Identifier: MIT
// A small test framework that compiles fast and has no dependencies. A test is a function that throws or reports a
// failed expectation. Arguments of each executable are parts of the names of tests to run, and parts of the names of
// tests to skip after a minus (fork_tests -limited -killed); --shuffle=SEED runs the tests in a random order. It counts
// tests and expectations.
#pragma once
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/error.h"
#include "chainer/routines/random.h"
#include "chainer/testing/gradient_check.h"

namespace test {

struct Case {
  const char* name;
  void (*run)();
};
inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
inline std::atomic<int> failures = 0, expectations = 0;  // tests expect on several threads, too
inline bool add(const char* name, void (*run)()) {
  cases().push_back({name, run});
  return true;
}
inline void fail(const char* file, int line, const std::string& what) {
  std::printf("  %s:%d: %s\n", file, line, what.c_str());
  ++failures;
}
inline void expect(bool holds, const char* file, int line, const char* what) {
  ++expectations;
  if (!holds) fail(file, line, what);
}
template <class A, class B>
void equal(const A& a, const B& b, const char* text, const char* file, int line) {
  ++expectations;
  if (!(a == b)) fail(file, line, chainer::text(text, ": ", a, " != ", b));
}
template <class E>
void throws(const std::function<void()>& f, std::string_view part, const char* text, const char* file, int line) {
  ++expectations;
  try {
    f();
  } catch (const E& e) {
    if (std::string_view(e.what()).find(part) == std::string_view::npos)
      fail(file, line, chainer::text(text, ": the message lacks '", part, "': ", e.what()));
    return;
  } catch (const std::exception& e) { return fail(file, line, chainer::text(text, ": another exception: ", e.what())); }
  fail(file, line, chainer::text(text, ": nothing was thrown"));
}

}  // namespace test

#define TEST(NAME)                                                \
  static void test_##NAME();                                      \
  static const bool added_##NAME = test::add(#NAME, test_##NAME); \
  static void test_##NAME()
// Each macro is a single statement, also between if and else.
#define EXPECT(...) test::expect(static_cast<bool>(__VA_ARGS__), __FILE__, __LINE__, "expected: " #__VA_ARGS__)
#define EXPECT_EQ(A, ...) test::equal(A, __VA_ARGS__, #A, __FILE__, __LINE__)
#define EXPECT_THROW(E, PART, ...) test::throws<E>([&] { (void)(__VA_ARGS__); }, PART, #__VA_ARGS__, __FILE__, __LINE__)
/// Expects that arrays have the same shape and agree up to a tolerance.
#define EXPECT_CLOSE(...)                                                           \
  do {                                                                              \
    ++test::expectations;                                                           \
    try {                                                                           \
      chainer::testing::assert_allclose(__VA_ARGS__);                               \
    } catch (const std::exception& e) { test::fail(__FILE__, __LINE__, e.what()); } \
  } while (false)
