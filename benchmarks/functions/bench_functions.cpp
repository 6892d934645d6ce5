// SPDX-License-Identifier: MIT
// Single functions, forward and backward, run by peers/functions.py alternately with PyTorch.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <thread>

#include "table.h"

namespace bench {
namespace {

constexpr const char* kUsage =
    "usage: bench_functions [--threads N] [--device NAME] [--seconds S] [--size NAME] [FUNCTION...]\n"
    "       bench_functions --list | --check DIR | --serve\n"
    "Times single functions, forward and backward (by default all of the table), and prints one line per function\n"
    "and size: name<TAB>size<TAB>minimum ms<TAB>median ms<TAB>calls\n"
    "  --size NAME   64, cache or 10M; all by default\n"
    "  --seconds S   time spent on each (0.2)\n"
    "  --threads N   threads to use (1)\n"
    "  --device NAME the device of the arrays (@cpu)\n"
    "  --list        print the table, one line of JSON per row, for peers/functions.py\n"
    "  --check DIR   run each once at the smallest size and write inputs, results and gradients to "
    "DIR/NAME.npz\n"
    "  --serve       read lines NAME SIZE SECONDS, answer each with one line of JSON; SIZE may also be rows:N, "
    "columns:N\n"
    "                or sides:N\n";

/// The device of the arrays (--device).
Device device;

/// A row at a size, ready to run.
class Case {
 public:
  Case(const Row& row, const Size& size) : row_(row) {
    for (const Input& i : row.inputs(size)) {
      x_.push_back(Variable(i.make().to_device(device), row.backward && i.gradient));
      if (row.backward && i.gradient) roots_.push_back(x_.back());
    }
    if (!row.backward) return;
    for (const Variable& y : row.function(x_))
      gy_.push_back(Variable(
          Input{.kind = Input::Kind::normal, .shape = y.shape()}.make().astype(y.dtype()).to_device(device), false));
  }
  /// Runs forward, and backward from the given gradients of the roots, and computes all results.
  Variables run() {
    if (!row_.backward) {
      NoBackpropMode no_graph;
      Variables ys = row_.function(x_);
      read(ys);
      return ys;
    }
    for (const Variable& x : roots_) const_cast<Variable&>(x).cleargrad();
    Variables ys = row_.function(x_);
    if (ys.size() == 1) {
      ys[0].set_grad(gy_[0].array());
      ys[0].backward();
    } else {
      (void)grad(ys, roots_, {.grad_outputs = gy_, .set_grad = true});
    }
    read(ys);
    for (const Variable& x : roots_)
      if (const Array g = x.grad()) (void)g.raw();
    return ys;
  }
  std::map<std::string, Array> check() {
    std::map<std::string, Array> out;
    const Variables ys = run();
    for (std::size_t i = 0; i < x_.size(); ++i) out[text("x", i)] = x_[i].array();
    for (std::size_t i = 0; i < ys.size(); ++i) out[text("y", i)] = ys[i].array();
    for (std::size_t i = 0; i < gy_.size(); ++i) out[text("gy", i)] = gy_[i].array();
    for (std::size_t i = 0; i < roots_.size(); ++i)
      out[text("gx", i)] = roots_[i].grad() ? roots_[i].grad() : zeros_like(roots_[i].array());
    return out;
  }

 private:
  static void read(const Variables& vs) {
    for (const Variable& v : vs) (void)v.array().raw();
  }
  const Row& row_;
  Variables x_, roots_, gy_;
};

struct Times {
  double least, median;  ///< milliseconds per call
  int64_t calls;
};
Times measure(Case& c, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); };
  const auto run = [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i) c.run();
    device.synchronize();
  };
  run(device.is_host() ? 1 : 4);  // on a device, programs are compiled after their third run
  if (!device.is_host()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  auto start = Clock::now();
  run(1);
  // Short calls are timed in groups of about a hundred microseconds; on a device a millisecond, after which the host
  // waits for the device.
  const double group = device.is_host() ? 1e-4 : 1e-3;
  const int64_t batch = std::max<int64_t>(1, static_cast<int64_t>(group / std::max(since(start), 1e-7)));
  std::vector<double> ms;
  for (start = Clock::now(); since(start) < seconds || ms.size() < 3;) {
    const auto t = Clock::now();
    run(batch);
    ms.push_back(since(t) * 1e3 / static_cast<double>(batch));
  }
  std::sort(ms.begin(), ms.end());
  return {ms[0], ms[ms.size() / 2], batch * static_cast<int64_t>(ms.size())};
}

template <class T>
const T& named(const std::vector<T>& all, const std::string& name) {
  for (const T& t : all)
    if (t.name == name) return t;
  throw ValueError("bench_functions: no function named ", name);
}

void list() {
  for (const Row& r : table().rows) {
    json::Object at;
    for (std::size_t i = 0; i <= r.largest; ++i) {
      json::List inputs;
      for (const Input& in : r.inputs(sizes()[i])) {
        static const char* const kinds[] = {"normal", "uniform", "integers", "permutation"};
        json::List shape(in.shape.begin(), in.shape.end());
        inputs.push_back(json::Object{{"kind", kinds[static_cast<int>(in.kind)]},
                                      {"shape", shape},
                                      {"low", in.low},
                                      {"high", in.high},
                                      {"gradient", in.gradient && r.backward}});
      }
      at.emplace_back(sizes()[i].name, inputs);
    }
    const json::Object row{
        {"name", r.name}, {"torch", r.torch}, {"backward", r.backward}, {"random", r.random}, {"inputs", at}};
    std::puts(json::dump(row).c_str());
  }
  for (const auto& [name, why] : table().reasons)
    std::puts(json::dump(json::Object{{"name", name}, {"absent", why}}).c_str());
}

void check(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const Row& r : table().rows) {
    const auto out = Case(r, sizes()[0]).check();
    serializers::write_npz(folder / (r.name + ".npz"), {out.begin(), out.end()});
  }
}

Times time(const std::string& name, const std::string& size, double seconds) {
  Times t{};
  {
    random::seed(0);
    const Size s = size_of(size);
    Case c(named(table().rows, name), s);
    t = measure(c, seconds);
  }
  device.is_host() ? memory::empty_cache() : device.empty_cache();
  return t;
}

void serve() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name, size;
    double seconds = 0;
    words >> name >> size >> seconds;
    try {
      const Times t = time(name, size, seconds);
      std::puts(json::dump(json::Object{{"least", t.least}, {"median", t.median}, {"calls", t.calls}}).c_str());
    } catch (const std::exception& e) { std::puts(json::dump(json::Object{{"error", e.what()}}).c_str()); }
    std::fflush(stdout);
  }
}

int run(const std::vector<std::string>& arguments) {
  std::vector<std::string> names, at;
  double seconds = 0.2;
  bool serves = false;
  cpu::set_thread_count(1);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& a = arguments[i];
    const auto value = [&] {
      if (++i == arguments.size()) throw ValueError(a, " needs a value");
      return arguments[i];
    };
    if (a == "--threads") {
      cpu::set_thread_count(std::stoi(value()));
    } else if (a == "--device") {
      device = get_device(value());
    } else if (a == "--seconds") {
      seconds = std::stod(value());
    } else if (a == "--size") {
      at.push_back(value());
    } else if (a == "--list") {
      return list(), 0;
    } else if (a == "--check") {
      return check(value()), 0;
    } else if (a == "--serve") {
      serves = true;
    } else if (a.starts_with("-")) {
      return std::fputs(kUsage, stderr), 2;
    } else {
      names.push_back(a);
    }
  }
  if (serves) return serve(), 0;
  if (names.empty())
    for (const Row& r : table().rows) names.push_back(r.name);
  for (const std::string& name : names) {
    const Row& r = named(table().rows, name);
    for (std::size_t i = 0; i <= r.largest; ++i) {
      const std::string& size = sizes()[i].name;
      if (!at.empty() && std::find(at.begin(), at.end(), size) == at.end()) continue;
      const Times t = time(name, size, seconds);
      std::printf("%s\t%s\t%.6g\t%.6g\t%lld\n", name.c_str(), size.c_str(), t.least, t.median,
                  static_cast<long long>(t.calls));
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) try { return bench::run({argv + 1, argv + argc}); } catch (const std::exception& e) {
  std::fprintf(stderr, "bench_functions: %s\n", e.what());
  return 1;
}
