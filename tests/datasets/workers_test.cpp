// SPDX-License-Identifier: MIT
#include <chainer/chainer.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "folder.h"
#include "test.h"
#include "workers.h"

using namespace chainer;
using iterators::MultiprocessIterator;
using iterators::SerialIterator;
using test::in_fresh_process, test::processes_below, test::read_proc, test::same;

namespace {

struct Squares : Dataset {
  int64_t size() const override { return 7; }
  Example get(int64_t i) const override {
    return {array(i), array(i * i), array(static_cast<int64_t>(dataset::example_random().below(1000000)))};
  }
};
struct Faulty : Dataset {
  int64_t size() const override { return 10; }
  Example get(int64_t i) const override {
    if (i == 3) throw KeyError("a damaged example");
    return array(i);
  }
};
struct Deadly : Dataset {
  int64_t size() const override { return 10; }
  Example get(int64_t i) const override {
    if (i == 5) ::raise(SIGKILL);
    return array(i);
  }
};
struct Large : Dataset {
  int64_t size() const override { return 4; }
  Example get(int64_t i) const override {
    return Example({{"x", full({100, 100}, static_cast<double>(i))}, {"none", Array()}});
  }
};

}  // namespace

TEST(worker_processes_give_the_serial_sequence) {
  if (!in_fresh_process("worker_processes_give_the_serial_sequence")) return;
  for (int n : {1, 2, 3})
    for (bool repeat : {false, true})
      for (bool shuffle : {false, true}) {
        random::seed(4);
        SerialIterator s(Squares(), 3, {.repeat = repeat, .shuffle = shuffle});
        std::vector<std::optional<Examples>> expected;
        std::vector<double> details;
        for (int i = 0; i < 8; ++i) expected.push_back(s.try_next()), details.push_back(s.epoch_detail());
        random::seed(4);
        MultiprocessIterator m(Squares(), 3, {.repeat = repeat, .shuffle = shuffle, .n_processes = n, .n_prefetch = 2});
        EXPECT(m.uses_processes());
        for (std::size_t i = 0; i < 8; ++i) {
          EXPECT(same(m.try_next(), expected[i]));
          EXPECT_EQ(m.epoch_detail(), details[i]);
        }
        m.reset();
        EXPECT_EQ(m.epoch(), 0);
        EXPECT(m.try_next().has_value());
      }
  EXPECT_EQ(processes_below(::getpid()), std::size_t(0));  // all workers have ended
}

TEST(errors_of_worker_processes) {
  if (!in_fresh_process("errors_of_worker_processes")) return;
  MultiprocessIterator m(Faulty(), 2, {.shuffle = false, .n_processes = 2});
  (void)m.next();
  EXPECT_THROW(KeyError, "example 3: a damaged example", m.next());
  EXPECT_THROW(KeyError, "example 3: a damaged example", m.next());  // the same batch again
  EXPECT_EQ(m.epoch_detail(), 0.2);
  MultiprocessIterator dies(Deadly(), 2, {.shuffle = false, .n_processes = 2});
  (void)dies.next(), (void)dies.next();
  for (int i = 0; i < 2; ++i) EXPECT_THROW(RuntimeError, "example 5 cannot be read: the worker process ", dies.next());
  EXPECT_THROW(RuntimeError, " died: killed by signal 9", dies.next());
  dies.finalize();
  m.finalize();
  EXPECT_EQ(processes_below(::getpid()), std::size_t(0));
  EXPECT_THROW(RuntimeError, "was finalized", m.next());
  EXPECT_THROW(RuntimeError, "cannot be reset", m.reset());
}

TEST(classes_of_errors_of_examples) {
  struct OfUser : ValueError {
    using ValueError::ValueError;
    int code = 7;
  };
  struct Failing : Dataset {
    int64_t size() const override { return 4; }
    Example get(int64_t i) const override {
      if (i == 0) throw OfUser("mine");
      if (i == 1) throw FileAccessError("no permission");
      if (i == 2) throw MemoryError("no memory");
      throw FileError("damaged");
    }
  };
  if (!in_fresh_process("classes_of_errors_of_examples")) return;
  const auto classes = [](auto&& it) {  // Each iterator reads the first batch again after its error, so it is resumed.
    std::string found;
    for (int64_t i = 0; i < 4; ++i) {
      auto order = [i](const std::vector<int64_t>&, int64_t) { return std::vector<int64_t>{i, i, i, i}; };
      try {
        (void)it(order).next();
      } catch (const OfUser& e) {
        found += e.code == 7 && std::string(e.what()) == "mine\n  in example 0" ? "user " : "other ";
      } catch (const FileAccessError&) { found += "access "; } catch (const MemoryError& e) {
        found += std::string(e.what()) == "example 2: no memory" ? "memory " : "other ";
      } catch (const FileError&) { found += "file"; } catch (const ValueError&) {
        found += "value ";
      }
    }
    return found;
  };
  EXPECT_EQ(classes([](auto order) {
              return MultiprocessIterator(Failing(), 1, {.n_processes = 1, .order_sampler = order});
            }),
            "value access memory file");
  EXPECT_EQ(classes([](auto order) { return SerialIterator(Failing(), 1, {.order_sampler = order}); }),
            "user access memory file");
}

TEST(batches_and_options_of_any_size) {
  if (!in_fresh_process("batches_and_options_of_any_size")) return;
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  struct Three : Dataset {
    int64_t size() const override { return 3; }
    Example get(int64_t i) const override { return array(i); }
  };
  EXPECT_EQ(SerialIterator(Three(), most, {.repeat = false}).next().size(), 3u);
  MultiprocessIterator ahead(Three(), most, {.repeat = false, .n_processes = 1, .n_prefetch = most});
  EXPECT_EQ(ahead.next().size(), 3u);
  EXPECT(!ahead.try_next());
  for (const int n : {0, 1}) {
    EXPECT_THROW(ValueError, "n_prefetch 9223372036854775807, batches of 2",
                 MultiprocessIterator(Three(), 2, {.n_processes = n, .n_prefetch = most}));
    EXPECT_THROW(ValueError, "shared_mem must be positive",
                 MultiprocessIterator(Three(), 2, {.n_processes = n, .shared_mem = 0}));
  }
}

TEST(large_examples_and_names_come_from_processes) {
  if (!in_fresh_process("large_examples_and_names_come_from_processes")) return;
  const int64_t warnings = warning_count();
  MultiprocessIterator small(Large(), 2, {.shuffle = false, .n_processes = 2, .shared_mem = 1000});
  SerialIterator s(Large(), 2, {.shuffle = false});
  const Examples a = small.next(), b = s.next();
  EXPECT_EQ(a[1]["x"].shape(), (Shape{100, 100}));
  EXPECT(a[1]["x"].to_vector<double>() == b[1]["x"].to_vector<double>() && !a[1]["none"]);
  EXPECT(warning_count() > warnings);
}

TEST(workers_go_with_a_killed_process) {
  if (!in_fresh_process("workers_go_with_a_killed_process")) return;
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    MultiprocessIterator m(Squares(), 3, {.n_processes = 2});
    (void)m.next();
    // Under the thread sanitizer a child has several threads, so the iterator uses threads instead.
    const std::string pids = m.uses_processes() ? read_proc(text("/proc/self/task/", ::getpid(), "/children")) : "none";
    (void)!::write(ends[1], pids.data(), pids.size());
    for (;;) ::pause();
  }
  char buffer[100] = "";
  EXPECT(::read(ends[0], buffer, 99) > 3);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  if (std::string(buffer) == "none") return std::puts("  no processes below a child here: left out"), void();
  int a = 0, b = 0;
  EXPECT_EQ(std::sscanf(buffer, "%d %d", &a, &b), 2);
  for (int i = 0; i < 200 && (::kill(a, 0) == 0 || ::kill(b, 0) == 0); ++i) {
    // The process that adopts orphans may reap them late; zombies count as gone.
    const auto gone = [](int pid) {
      const std::string state = read_proc(text("/proc/", pid, "/stat"));
      return state.empty() || state.find(") Z ") != std::string::npos;
    };
    if (gone(a) && gone(b)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT(::kill(a, 0) != 0 && ::kill(b, 0) != 0);
}

TEST(worker_threads_take_the_place_of_processes) {
  for (int n : {0, 1, 3}) {
    random::seed(5);
    SerialIterator s(Squares(), 4);
    std::vector<std::optional<Examples>> expected;
    for (int i = 0; i < 6; ++i) expected.push_back(s.try_next());
    random::seed(5);
    std::thread([] {}).join();
    MultiprocessIterator m(Squares(), 4, {.n_processes = n});
    for (const auto& e : expected) EXPECT(same(m.try_next(), e));
  }
  struct Broken : Dataset {
    int64_t size() const override { return 10; }
    Example get(int64_t i) const override {
      if (i == 3) throw FileError("picture.jpg: not a whole JPEG picture");
      return array(i);
    }
  };
  MultiprocessIterator m(Broken(), 2, {.shuffle = false, .n_processes = 0});
  SerialIterator s(Broken(), 2, {.shuffle = false});
  (void)m.next(), (void)s.next();
  EXPECT_THROW(FileError, "example 3: picture.jpg: not a whole", m.next());
  EXPECT_THROW(FileError, "example 3: picture.jpg: not a whole", s.next());
  EXPECT_THROW(ValueError, "n_prefetch must be positive", MultiprocessIterator(Squares(), 2, {.n_prefetch = 0}));
  EXPECT_THROW(ValueError, "not be negative, got -1", MultiprocessIterator(Squares(), 2, {.n_processes = -1}));
}

TEST(worker_iterators_resume_where_they_were) {
  for (int taken : {0, 1, 2, 5}) {
    random::seed(6);
    MultiprocessIterator a(Squares(), 3, {.n_processes = 0, .n_prefetch = 3});
    for (int i = 0; i < taken; ++i) (void)a.next();
    serializers::DictionarySerializer saved;
    a.serialize(saved);
    const auto state = random::global().state();
    std::vector<std::optional<Examples>> expected;
    for (int i = 0; i < 6; ++i) expected.push_back(a.try_next());
    MultiprocessIterator b(Squares(), 3, {.n_processes = 0, .n_prefetch = 3});
    (void)b.next();
    serializers::NpzDeserializer d(
        std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(saved.target()), "memory"));
    random::global().set_state(state);
    b.serialize(d);
    for (const auto& e : expected) EXPECT(same(b.try_next(), e));
    SerialIterator serial(Squares(), 3);  // loads the same state
    random::global().set_state(state);
    serial.serialize(d);
    for (const auto& e : expected) EXPECT(same(serial.try_next(), e));
  }
}

// The seed and the count of a SeededOrderSampler are in the file, with orders that were drawn ahead.
TEST(iterators_resume_seeded_orders) {
  const auto two = [] { return datasets::TupleDataset(arange(2)); };
  for (const int taken : {0, 1, 2, 5}) {
    MultiprocessIterator a(two(), 1,
                           {.n_processes = 0, .n_prefetch = 3, .order_sampler = iterators::SeededOrderSampler(6)});
    for (int i = 0; i < taken; ++i) (void)a.next();
    serializers::DictionarySerializer saved;
    a.serialize(saved);
    std::vector<int64_t> expected;
    for (int i = 0; i < 60; ++i) expected.push_back(a.next()[0][0].item<int64_t>());
    std::set<std::vector<int64_t>> orders;
    for (std::size_t i = static_cast<std::size_t>(taken % 2); i + 1 < 60; i += 2)
      orders.insert({expected[i], expected[i + 1]});
    EXPECT_EQ(orders.size(), std::size_t(2));
    SerialIterator b(two(), 1, {.order_sampler = iterators::SeededOrderSampler(7)});
    serializers::NpzDeserializer d(
        std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(saved.target()), "memory"));
    b.serialize(d);
    for (const int64_t e : expected) EXPECT_EQ(b.next()[0][0].item<int64_t>(), e);
  }
}

TEST(conversion) {
  dataset::ConcatWithAsyncTransfer convert;
  const Examples batch{{array({1.f, 2.f}), array(1)}, {array({3.f, 4.f}), array(2)}};
  EXPECT_CLOSE(convert(batch)[0], array({{1.f, 2.f}, {3.f, 4.f}}));
  EXPECT_CLOSE(convert(batch, get_device("@cpu:1"))[1], array({1, 2}));
  EXPECT_THROW(DeviceError, "no device", get_device("@cpu:x"));
  // Rows of different dtypes and layouts, empty rows, and many rows.
  const Examples mixed{Example(array({1.f, 2.f})), Example(array({3, 4}))};
  EXPECT_CLOSE(concat_examples(mixed)[0], array({{1.f, 2.f}, {3.f, 4.f}}));
  EXPECT_EQ(concat_examples(Examples(3, Example(zeros({0, 2}))))[0].shape(), (Shape{3, 0, 2}));
  const Array t = arange(6).reshape({2, 3}).transpose();
  EXPECT_CLOSE(concat_examples({Example(t), Example(t)})[0][1], t);
  Examples many;
  for (int64_t i = 0; i < 300; ++i) many.push_back(Example(full({40, 50}, i)));
  EXPECT_CLOSE(concat_examples(many)[0][{-1, 3, 4}], array(299));
}
