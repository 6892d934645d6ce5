// SPDX-License-Identifier: MIT
// Worker processes with random batches, numbers of workers and sizes of examples, through sockets that transfer few
// bytes at a time, and with workers that are slow, stopped or killed. CHAINER_TEST_ROUNDS sets the number of rounds,
// CHAINER_TEST_SEED the seed.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <sstream>

#include "system_calls.h"
#include "test.h"
#include "workers.h"

using namespace chainer;
using iterators::MultiprocessIterator;
using iterators::MultithreadIterator;
using iterators::SerialIterator;
using test::in_fresh_process, test::processes_below, test::same;

namespace {

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}

// Example i holds i, a random number, and some elements; a few examples are larger.
struct Uneven : Dataset {
  int64_t n, most;
  int microseconds;
  Uneven(int64_t n, int64_t most, int microseconds) : n(n), most(most), microseconds(microseconds) {}
  int64_t size() const override { return n; }
  Example get(int64_t i) const override {
    if (microseconds > 0 && i % 7 == 0) ::usleep(static_cast<useconds_t>(microseconds));
    const int64_t length = i % 5 == 3 ? i * 7919 % (most + 1) : i % 3;
    return {array(i), array(dataset::example_random().below(1000000)), full({length}, static_cast<double>(i))};
  }
};

struct Round {
  int64_t examples, batch, most;
  int microseconds, batches;
  iterators::MultiprocessIteratorOptions options;
  test::SystemCalls calls;
  explicit Round(uint64_t seed) {
    dataset::ExampleRandom r(seed);
    const bool large = r.below(3) == 0;
    examples = 1 + r.below(large ? 30 : 900);
    batch = 1 + r.below(large ? 12 : 1200);
    most = large ? 20000 : 20;
    microseconds = r.below(4) == 0 ? 300 : 0;
    batches = 3 + static_cast<int>(r.below(3));
    options.repeat = r.below(3) > 0;
    options.shuffle = r.below(2) == 0;
    options.n_processes = 1 + static_cast<int>(r.below(5));
    options.n_prefetch = 1 + r.below(4);
    const std::size_t slots[] = {1, 100, 2000, 16u << 20};
    options.shared_mem = slots[r.below(4)];
    options.worker_limit = 100;
    calls.tiny_buffers = r.below(2) == 0;
    const std::size_t parts[] = {0, 3, 50, 5000};
    calls.largest_part = parts[r.below(large ? 2 : 4) + (large ? 2 : 0)];
  }
  std::string words() const {
    return text(examples, " examples of up to ", most, " elements, batches of ", batch, ", ", *options.n_processes,
                " processes, ", options.n_prefetch, " ahead, shared_mem ", *options.shared_mem, ", parts of ",
                calls.largest_part, calls.tiny_buffers ? ", tiny buffers" : "", microseconds ? ", slow" : "");
  }
};

std::vector<pid_t> workers() {
  std::istringstream in(test::children_of(::getpid()));
  std::vector<pid_t> out;
  for (pid_t p; in >> p;) out.push_back(p);
  return out;
}

}  // namespace

TEST(any_batches_come_from_any_workers) {
  if (!in_fresh_process("any_batches_come_from_any_workers")) return;
  const uint64_t first = setting("CHAINER_TEST_SEED", 1), rounds = setting("CHAINER_TEST_ROUNDS", 12);
  for (uint64_t seed = first; seed < first + rounds; ++seed) {
    const Round r(seed);
    ::alarm(300);  // a deadlock ends the program
    const Uneven data(r.examples, r.most, r.microseconds);
    random::seed(static_cast<uint32_t>(seed));
    SerialIterator serial(data, r.batch, {.repeat = r.options.repeat, .shuffle = r.options.shuffle});
    std::vector<std::optional<Examples>> expected;
    for (int i = 0; i < r.batches; ++i) expected.push_back(serial.try_next());
    random::seed(static_cast<uint32_t>(seed));
    const test::WithSystemCalls calls(r.calls);
    MultiprocessIterator m(data, r.batch, r.options);
    EXPECT(m.uses_processes());
    for (const auto& e : expected) {
      const bool equal = same(m.try_next(), e);
      EXPECT(equal);
      if (!equal) std::printf("  seed %llu: %s\n", static_cast<unsigned long long>(seed), r.words().c_str());
    }
  }
  ::alarm(0);
  EXPECT_EQ(processes_below(::getpid()), std::size_t(0));
}

TEST(batches_that_filled_both_sockets) {
  if (!in_fresh_process("batches_that_filled_both_sockets")) return;
  ::alarm(300);
  for (const auto& [n, batch] : {std::pair(1, 300), std::pair(2, 560), std::pair(2, 5000)}) {
    MultiprocessIterator m(Uneven(20000, 2, 0), batch, {.shuffle = false, .n_processes = n});
    for (int i = 0; i < 3; ++i) {
      const Examples examples = m.next();
      EXPECT_EQ(static_cast<int>(examples.size()), batch);
      EXPECT_EQ(examples.back()[0].item<int>(), ((i + 1) * batch - 1) % 20000);
    }
  }
  ::alarm(0);
}

TEST(a_lost_worker_is_an_error) {
  if (!in_fresh_process("a_lost_worker_is_an_error")) return;
  const uint64_t first = setting("CHAINER_TEST_SEED", 1), rounds = setting("CHAINER_TEST_ROUNDS", 6);
  for (uint64_t seed = first; seed < first + rounds; ++seed) {
    Round r(seed);
    ::alarm(300);
    r.options.repeat = true;
    r.options.worker_limit = 2;
    r.options.dataset_timeout = 0.5;
    const bool kill = seed % 2 == 0;
    const test::WithSystemCalls calls(r.calls);
    MultiprocessIterator m(Uneven(r.examples, r.most, r.microseconds), r.batch, r.options);
    if (seed % 3 > 0) (void)m.next();
    const std::vector<pid_t> all = workers();
    const pid_t victim = all[seed % all.size()];
    ::kill(victim, kill ? SIGKILL : SIGSTOP);
    const double before = m.epoch_detail();
    std::string what;
    for (int i = 0; i < 2000 && what.empty(); ++i) {
      try {
        (void)m.next();
      } catch (const RuntimeError& e) { what = e.what(); }
    }
    const bool told = what.find(text("the worker process ", victim)) != what.npos &&
                      what.find(kill ? "died: killed by signal 9" : "(it was stopped by signal 19)") != what.npos;
    EXPECT(told);
    if (!told)
      std::printf("  seed %llu: %s: '%s'\n", static_cast<unsigned long long>(seed), r.words().c_str(), what.c_str());
    EXPECT(m.epoch_detail() >= before);
    EXPECT_THROW(RuntimeError, "the worker process", m.next());
    m.finalize();
    EXPECT_EQ(processes_below(::getpid()), std::size_t(0));
  }
  // A stopped worker that continues in time is not an error.
  MultiprocessIterator m(Uneven(10, 5, 0), 4, {.shuffle = false, .n_processes = 2, .dataset_timeout = 0.1});
  const pid_t stopped = workers()[0];
  ::kill(stopped, SIGSTOP);
  const pid_t helper = ::fork();
  if (helper == 0) {
    ::usleep(400000);
    ::kill(stopped, SIGCONT);
    ::_exit(0);
  }
  SerialIterator s(Uneven(10, 5, 0), 4, {.shuffle = false});
  for (int i = 0; i < 4; ++i) EXPECT(same(m.try_next(), s.try_next()));
  ::waitpid(helper, nullptr, 0);
  ::alarm(0);
}

TEST(workers_that_cannot_be_started_leave_none_behind) {
  if (!in_fresh_process("workers_that_cannot_be_started_leave_none_behind")) return;
  {
    const test::WithSystemCalls calls({.forks_left = 2});
    EXPECT_THROW(RuntimeError, "cannot start a process for worker 3 of 4: Resource temporarily unavailable",
                 MultiprocessIterator(Uneven(4, 1, 0), 2, {.n_processes = 4}));
    EXPECT_EQ(processes_below(::getpid()), std::size_t(0));
  }
  {
    const test::WithSystemCalls calls({.sockets_left = 1});
    EXPECT_THROW(RuntimeError, "cannot create a pipe to worker 2 of 4: Too many open files",
                 MultiprocessIterator(Uneven(4, 1, 0), 2, {.n_processes = 4}));
    EXPECT_EQ(processes_below(::getpid()), std::size_t(0));
  }
  EXPECT_THROW(ValueError, "worker_limit 0 must be positive",
               MultiprocessIterator(Uneven(4, 1, 0), 2, {.n_processes = 0, .worker_limit = 0}));
}

// Example 3 fails a number of times; the workers share the count.
struct Flaky : Dataset {
  int* failures_left;
  explicit Flaky(int* f) : failures_left(f) {}
  int64_t size() const override { return 7; }
  Example get(int64_t i) const override {
    if (i == 3 && *failures_left > 0) {
      --*failures_left;
      throw FileError("not there yet");
    }
    return {array(i), array(dataset::example_random().below(1000000))};
  }
};

TEST(after_an_error_the_same_batch_is_read_again) {
  if (!in_fresh_process("after_an_error_the_same_batch_is_read_again")) return;
  auto* const left =
      static_cast<int*>(::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (const bool shuffle : {false, true})
    for (const uint32_t seed : {1u, 2u, 3u}) {
      *left = 0;
      random::seed(seed);
      SerialIterator whole(Flaky(left), 3, {.shuffle = shuffle});
      std::vector<std::optional<Examples>> expected;
      for (int i = 0; i < 9; ++i) expected.push_back(whole.try_next());
      const auto check = [&](auto&& make) {
        random::seed(seed);
        auto it = make();
        for (const auto& e : expected) {
          *left = 2;  // even if the batch was read ahead without an error
          int errors = 0;
          for (bool read = false; !read;) {
            const double before = it.epoch_detail();
            try {
              EXPECT(same(it.try_next(), e));
              read = true;
            } catch (const FileError& error) {
              EXPECT_EQ(std::string(error.what()), "example 3: not there yet");
              EXPECT_EQ(it.epoch_detail(), before);
              EXPECT(++errors <= 4);
            }
          }
        }
        EXPECT_EQ(it.epoch_detail(), whole.epoch_detail());
      };
      check([&] { return MultiprocessIterator(Flaky(left), 3, {.shuffle = shuffle, .n_processes = 2}); });
      check([&] { return SerialIterator(Flaky(left), 3, {.shuffle = shuffle}); });
      check([&] { return MultithreadIterator(Flaky(left), 3, {.shuffle = shuffle}); });
      check([&] { return MultiprocessIterator(Flaky(left), 3, {.shuffle = shuffle, .n_processes = 0}); });
      if (shuffle) break;  // the threads stay, after which no process can be forked: one seed per program
    }
  ::munmap(left, sizeof(int));
}

TEST(every_iterator_takes_the_place_of_every_other) {
  using Make = std::function<std::unique_ptr<Iterator>()>;
  const Uneven data(7, 2, 0);
  const std::vector<std::pair<const char*, Make>> kinds = {
      {"serial", [&] { return std::make_unique<SerialIterator>(data, 3); }},
      {"threads",
       [&] { return std::make_unique<MultithreadIterator>(data, 3, iterators::IteratorOptions{.n_threads = 2}); }},
      {"processes", [&] {
         return std::make_unique<MultiprocessIterator>(
             data, 3, iterators::MultiprocessIteratorOptions{.n_processes = 0, .n_prefetch = 3});
       }}};
  random::seed(8);
  SerialIterator whole(data, 3);
  std::vector<std::optional<Examples>> expected;
  for (int i = 0; i < 16; ++i) expected.push_back(whole.try_next());
  for (const auto& [from, make_first] : kinds)
    for (const auto& [to, make_second] : kinds)
      for (std::size_t cut = 0; cut < 10; ++cut) {
        random::seed(8);
        const auto first = make_first();
        for (std::size_t i = 0; i < cut; ++i) EXPECT(same(first->try_next(), expected[i]));
        serializers::DictionarySerializer saved;
        first->serialize(saved);
        const random::State state = random::state();
        const auto second = make_second();
        serializers::NpzDeserializer in(
            std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(saved.target()), "memory"));
        second->serialize(in);
        random::set_state(state);
        bool equal = second->epoch_detail() == first->epoch_detail();
        for (std::size_t i = cut; i < expected.size(); ++i) equal &= same(second->try_next(), expected[i]);
        EXPECT(equal);
        if (!equal) std::printf("  from %s to %s after %zu batches\n", from, to, cut);
      }
}
