// SPDX-License-Identifier: MIT
#include "chainer/datasets/datasets.h"

#include <algorithm>
#include <cstdio>

#include "chainer/datasets/download.h"
#include "chainer/datasets/named.h"
#include "chainer/serializers/serializers.h"
#include "command.h"
#include "model_file.h"

namespace tool {
namespace {

namespace fs = std::filesystem;
namespace json = chainer::json;
namespace datasets = chainer::datasets;

struct Known {
  std::string name;
  std::vector<std::string> files;  ///< below pfnet/chainer in the cache
  void (*get)();                   ///< reads the dataset, downloading it first if necessary
};
const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      {"mnist", {"mnist/train.npz", "mnist/test.npz"}, [] { (void)datasets::get_mnist(); }},
      {"fashion-mnist",
       {"fashion-mnist/train.npz", "fashion-mnist/test.npz"},
       [] { (void)datasets::get_fashion_mnist(); }},
      {"kuzushiji_mnist",
       {"kuzushiji_mnist/train.npz", "kuzushiji_mnist/test.npz"},
       [] { (void)datasets::get_kuzushiji_mnist(); }},
      {"cifar10", {"cifar/cifar-10.npz"}, [] { (void)datasets::get_cifar10(); }},
      {"cifar100", {"cifar/cifar-100.npz"}, [] { (void)datasets::get_cifar100(); }},
      {"svhn", {"svhn/train.npz", "svhn/test.npz"}, [] { (void)datasets::get_svhn(); }},
      {"ptb", {"ptb/train.npz", "ptb/valid.npz", "ptb/test.npz"}, [] { (void)datasets::get_ptb_words(); }},
  };
  return all;
}
const Known& find(const std::string& name) {
  for (const Known& k : known())
    if (k.name == name) return k;
  std::string names;
  for (const Known& k : known()) names += (names.empty() ? "" : ", ") + k.name;
  throw UsageError("no dataset named '", name, "'; available: ", names);
}
fs::path place(const std::string& file) { return chainer::dataset::get_dataset_root() / "pfnet" / "chainer" / file; }

struct State {
  std::string word;  ///< "cached", "cached in part", "not cached", "valid", or an error message
  double bytes = 0;
  bool damaged = false;
};
// Which files of a dataset are in the cache; with `read`, each member is read and its checksum compared.
State state(const Known& k, bool read) {
  State s;
  std::size_t there = 0;
  for (const std::string& file : k.files) {
    std::error_code error;
    if (!fs::is_regular_file(place(file), error)) continue;
    ++there;
    s.bytes += static_cast<double>(fs::file_size(place(file), error));
    if (!read) continue;
    try {
      const chainer::serializers::NpzFile npz(place(file));
      for (const std::string& key : npz.keys()) npz.check(key);
    } catch (const chainer::Error& e) {
      s.word = e.what();
      s.damaged = true;
    }
  }
  if (s.damaged) return s;
  s.word = there == 0 ? "not cached" : there < k.files.size() ? "cached in part" : read ? "valid" : "cached";
  return s;
}

int run(const Arguments& a) {
  const std::string verb = a.positional.empty() ? "list" : a.positional[0];
  std::vector<const Known*> chosen;
  for (std::size_t i = 1; i < a.positional.size(); ++i) chosen.push_back(&find(a.positional[i]));
  if (verb != "list" && verb != "fetch" && verb != "verify")
    throw UsageError("chainer datasets takes list, fetch or verify, not '", verb, "'");
  if (verb == "fetch") {
    if (chosen.empty()) throw UsageError("usage: chainer datasets fetch NAME ...");
    for (const Known* k : chosen) k->get();
  }
  if (chosen.empty())
    for (const Known& k : known()) chosen.push_back(&k);
  bool damaged = false;
  json::List list;
  for (const Known* k : chosen) {
    const State s = state(*k, verb == "verify");
    damaged = damaged || s.damaged;
    list.emplace_back(json::Object{
        {"name", k->name}, {"state", s.word}, {"bytes", static_cast<int64_t>(s.bytes)}, {"damaged", s.damaged}});
    if (!a.has("json"))
      std::printf("%-16s %-10s %s\n", k->name.c_str(), s.bytes > 0 ? size_text(s.bytes).c_str() : "", s.word.c_str());
  }
  if (a.has("json"))
    print_json(json::Object{{"root", chainer::dataset::get_dataset_root().string()}, {"datasets", std::move(list)}});
  return damaged ? 1 : 0;
}

}  // namespace

Command datasets_command() {
  std::string names;
  for (const Known& k : known()) names += (names.empty() ? "" : ", ") + k.name;
  return {.name = "datasets",
          .arguments = "[list|fetch|verify] [NAME ...]",
          .least = 0,
          .most = 64,
          .summary = "Lists, fetches and verifies the datasets in the cache.",
          .description = {"'list' shows which datasets are in the cache (CHAINER_DATASET_ROOT), 'fetch' downloads and "
                          "converts the named datasets, 'verify' reads the cached files and compares checksums; exit "
                          "code 1 means that a file is damaged.",
                          "Names: " + names + "."},
          .options = {{"json", "", "print one JSON object"}},
          .run = run};
}

}  // namespace tool
