// SPDX-License-Identifier: MIT
// Times whole training steps and prints one line per workload: name, median ms, minimum ms, count. See
// docs/performance.md.
//
//   build/release/benchmarks/chainer_bench --seconds 4 --threads 2 mnist_mlp tiny_graph
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <chainer/core/parallel.h>

#include "limit.h"
#include "profile.h"
#include "workload.h"

namespace bench {
const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = {{"mnist_mlp", mnist_mlp},
                                            {"word2vec_ns", word2vec_ns},
                                            {"tiny_graph", tiny_graph},
                                            {"elementwise_chain", elementwise_chain},
                                            {"double_backprop", double_backprop},
                                            {"ptb_lstm", ptb_lstm},
                                            {"nstep_lstm", nstep_lstm},
                                            {"dynamic_language_model", dynamic_language_model},
                                            {"dynamic_tagger", dynamic_tagger},
                                            {"dynamic_tagger_characters", dynamic_tagger_characters},
                                            {"dynamic_tree", dynamic_tree},
                                            {"lenet5", lenet5},
                                            {"vgg_cifar", vgg_cifar},
                                            {"resnet50_train", resnet50_train},
                                            {"resnet50_infer", resnet50_infer},
                                            {"dcgan", dcgan},
                                            {"gpt_train", gpt_train},
                                            {"gpt2_train", gpt2_train},
                                            {"attention_long", attention_long},
                                            {"vit_train", vit_train},
                                            {"bert_infer", bert_infer},
                                            {"bert_infer_32", bert_infer_32},
                                            {"gpt2_generate", gpt2_generate}};
  return all;
}
}  // namespace bench

namespace {

constexpr const char* kUsage =
    "usage: chainer_bench [--seconds S | --steps N] [--threads N] [--callers N] [--check DIR] [--limit] [--profile] "
    "[--static]\n"
    "                     [--dtype NAME] [--device NAME] [--no-tf32] [--autotune] [--list]\n"
    "                     [WORKLOAD...]\n"
    "Times training steps and prints one line per workload (by default of all workloads):\n"
    "  name<TAB>median ms<TAB>min MINIMUM ms<TAB>n steps\n"
    "  --seconds S   time spent on each workload (6)\n"
    "  --steps N     run exactly N steps: the difference of two runs under an instruction counter is the cost of a "
    "step\n"
    "  --threads N   threads to use (2)\n"
    "  --callers N   run N threads that train one model each, and print a line for each\n"
    "  --check DIR   run one step of each and write its inputs, parameters before and after, gradients and\n"
    "                loss to DIR/WORKLOAD.npz, for peers/check.py\n"
    "  --limit       append the least time that this machine needs for a step (benchmarks/limit.h), what bounds it, "
    "and\n"
    "                its share of the minimum\n"
    "  --profile     print the time of a step by function\n"
    "  --static      run workloads as static graphs (static_graph()) where possible\n"
    "  --dtype NAME  config().dtype: float32 (default), mixed_bfloat16 or mixed16\n"
    "  --device NAME the device (@cpu); on other devices a line also has the peak memory\n"
    "  --autotune    measure the algorithms of convolutions on a CUDA device once per shape (config().autotune)\n"
    "  --no-tf32     convolutions of float32 on a CUDA device must not round operands (use_cudnn_tensor_core "
    "\"never\")\n"
    "  --list        print the names\n";

struct Arguments {
  double seconds = 6;
  std::size_t steps = 0;
  int threads = 2, callers = 1;
  std::string check;
  bool limit = false, profile = false;
  std::vector<std::string> names;
};

[[noreturn]] void wrong(const std::string& what) {
  std::fprintf(stderr, "chainer_bench: %s\n%s", what.c_str(), kUsage);
  std::exit(2);
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  const auto number = [](const std::string& name, const char* value, double least) {
    char* end = nullptr;
    const double v = std::strtod(value, &end);
    if (!*value || *end || !(v >= least))
      wrong(chainer::text(name, ": '", value, "' is not a number of at least ", least));
    return v;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&] { return ++i < argc ? argv[i] : (wrong(arg + " needs a value"), nullptr); };
    if (arg == "--seconds") {
      a.seconds = number(arg, value(), 0);
    } else if (arg == "--steps") {
      a.steps = static_cast<std::size_t>(number(arg, value(), 1));
    } else if (arg == "--threads") {
      a.threads = static_cast<int>(number(arg, value(), 1));
    } else if (arg == "--callers") {
      a.callers = static_cast<int>(number(arg, value(), 1));
    } else if (arg == "--check") {
      a.check = value();
    } else if (arg == "--limit") {
      a.limit = true;
    } else if (arg == "--profile") {
      a.profile = true;
    } else if (arg == "--dtype") {
      const std::string name = value();
      chainer::global_config().dtype = name == "mixed16"          ? chainer::mixed16
                                       : name == "mixed_bfloat16" ? chainer::mixed_bfloat16
                                                                  : chainer::DefaultDtype(chainer::parse_dtype(name));
    } else if (arg == "--device") {
      bench::device = chainer::get_device(value());
    } else if (arg == "--autotune") {
      chainer::global_config().autotune = true;
    } else if (arg == "--no-tf32") {
      chainer::global_config().use_cudnn_tensor_core = "never";
    } else if (arg == "--static") {
      bench::use_static = true;
    } else if (arg == "--list") {
      for (const auto& w : bench::workloads()) std::puts(w.name.c_str());
      std::exit(0);
    } else if (arg == "--help" || arg == "-h") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    } else if (arg.starts_with("-")) {
      wrong("unknown option " + arg);
    } else {
      a.names.push_back(arg);
    }
  }
  if (a.limit && (a.callers > 1 || !bench::device.is_host())) wrong("--limit is for one caller and the host");
  if (a.names.empty())
    for (const auto& w : bench::workloads()) a.names.push_back(w.name);
  return a;
}

void time_steps(const std::string& name, bench::Step& step, const Arguments& a) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); };
  const auto run = [&] {
    (void)step.run().array().raw();
    bench::device.synchronize();
  };
  for (int i = 0; i < 3; ++i) run();
  bench::device.reset_memory_peak();
  std::vector<double> ms;
  const auto start = Clock::now();
  const auto enough = [&] { return a.steps ? ms.size() >= a.steps : since(start) >= a.seconds && ms.size() >= 3; };
  while (!enough()) {
    const auto t = Clock::now();
    run();
    ms.push_back(since(t) * 1e3);
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%s\t%.3f\tmin %.3f\tn %zu", name.c_str(), ms[ms.size() / 2], ms[0], ms.size());
  if (!bench::device.is_host())
    std::printf("\tpeak %.1f MiB", static_cast<double>(bench::device.memory_statistics().peak) / (1 << 20));
  if (a.limit) {
    const bench::Limit limit = bench::limit_of(bench::work_of(step));
    std::printf("\tlimit %.3f by %s, %.0f %%", limit.ms(), limit.bound_by(), 100 * limit.ms() / ms[0]);
  }
  std::printf("\n");
  std::fflush(stdout);
}

// Threads that train at the same time, each with its own model.
void time_callers(const bench::Workload& workload, const Arguments& a) {
  std::vector<bench::Step> steps;
  for (int i = 0; i < a.callers; ++i) steps.push_back(workload.make());
  std::vector<std::thread> threads;
  for (bench::Step& s : steps) threads.emplace_back([&] { time_steps(workload.name, s, a); });
  for (std::thread& t : threads) t.join();
}

void write_check(const std::string& file, bench::Step& step) {
  std::map<std::string, chainer::Array> out;
  for (const auto& [name, a] : step.inputs) out["input/" + name] = a.copy();
  for (const auto& [name, p] : step.parameters) out["before/" + name] = p.array().copy();
  const chainer::Variable loss = step.run();
  std::map<std::string, chainer::Array> drawn;
  if (step.drawn) step.drawn(drawn);
  for (const auto& [name, a] : drawn) out["input/" + name] = a.copy();
  for (const auto& [name, p] : step.parameters) {
    out["after/" + name] = p.array().copy();
    if (const chainer::Array g = p.grad()) out["grad/" + name] = g.copy();
  }
  out["loss"] = loss.array();
  chainer::serializers::write_npz(file, {out.begin(), out.end()});
  std::printf("%s\n", file.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const Arguments a = parse(argc, argv);
  chainer::cpu::set_thread_count(a.threads);
  if (!a.check.empty()) std::filesystem::create_directories(a.check);
  for (const std::string& name : a.names) {
    const auto& all = bench::workloads();
    const auto it = std::find_if(all.begin(), all.end(), [&](const auto& w) { return w.name == name; });
    if (it == all.end()) wrong("no workload " + name + "; --list prints the workloads");
    chainer::random::seed(0);
    if (a.callers > 1) {
      time_callers(*it, a);
      continue;
    }
    bench::Step step = it->make();
    if (!a.check.empty()) {
      write_check(a.check + "/" + name + ".npz", step);
    } else if (a.profile) {
      std::printf("%s\n", name.c_str());
      bench::profile([&] { (void)step.run().array().raw(); }, 20, stdout);
    } else {
      time_steps(name, step, a);
    }
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "chainer_bench: %s\n", e.what());
  return 1;
}
