// SPDX-License-Identifier: MIT
// Every writer of the library, with each of its system calls failing in turn: either the old or the new file is intact,
// no other file remains, and the error names the file and the cause.
#include <chainer/chainer.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <regex>
#include <set>

#include "chainer/core/system/file.h"
#include "chainer/datasets/download.h"
#include "chainer/datasets/image.h"
#include "chainer/exporters/caffe/export_model.h"
#include "chainer/links/caffe/net.h"
#include "chainer/onnx/onnx.h"
#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/safetensors.h"
#include "chainer/tokenizers/tokenizer.h"
#include "chainer/viewing/live/progress.h"
#include "chainer/viewing/plot/figure.h"
#include "faults.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;  // bytes by name

Files files_in(const fs::path& folder) {
  Files out;
  for (const auto& e : fs::recursive_directory_iterator(folder)) {
    if (!e.is_regular_file() || e.path().filename() == ".lock") continue;
    std::string bytes = read_file(e.path());
    // The drawing library numbers its objects from the start of the program.
    if (e.path().extension() == ".svg") bytes = std::regex_replace(bytes, std::regex("(surface|glyph)[-0-9]+"), "$1");
    out[e.path().lexically_relative(folder).string()] = std::move(bytes);
  }
  return out;
}

// Hides the progress of downloads.
struct QuietErrors {
  int saved = ::dup(2);
  QuietErrors() {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, 2), ::close(nowhere);
  }
  ~QuietErrors() { ::dup2(saved, 2), ::close(saved); }
};

struct Writer {
  const char* name;
  std::function<void(const fs::path& folder, bool again)>
      write;  // with `again`, writes other contents, which are the same each time
  // For files that are appended to: returns true if the current content is also valid.
  std::function<bool(const Files& before, const Files& now, const fs::path& folder)> whole = {};
};

std::string names(const Files& files) {
  std::string out;
  for (const auto& [name, bytes] : files) out += text(out.empty() ? "" : ", ", name, " (", bytes.size(), ")");
  return out;
}

// Tries one fault; returns "" or a description of what is wrong.
std::string tried(const Writer& w, const Files& before, const Files& after, const fs::path& folder, int at,
                  const faults::Call& call, faults::Fault fault) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  w.write(folder, false);
  std::string error;
  try {
    (void)faults::run(folder, at, fault, [&] { w.write(folder, true); });
  } catch (const chainer::Error& e) {
    error = e.what();
    if (error.empty()) return "an error without a message";
  } catch (const std::exception& e) { return text("no error of the library: ", e.what()); }
  const Files now = files_in(folder);
  if (error.empty() && call.writes && fault.kind == faults::Fault::error) return "nobody is told";
  if (error.empty()) return now == after ? "" : text("without an error there is ", names(now));
  if (now != before && now != after && !(w.whole && w.whole(before, now, folder)))
    return text("after '", error, "' there is ", names(now));
  const bool silent = fault.kind != faults::Fault::error && fault.number == 0;
  if (silent) return text("it needs no error: ", error);
  const int why = fault.kind == faults::Fault::partial ? ENOSPC : fault.number;
  if (error.find(std::strerror(why)) == error.npos) return text("the cause is not in '", error, "'");
  const bool named = error.find(folder.string()) != error.npos && error.find("tmp-") == error.npos;
  return named ? "" : text("the file is not in '", error, "'");
}

void try_all(const Writer& w) {
  const test::Folder place;
  const fs::path folder = place.path / "it";
  fs::create_directories(folder);
  w.write(folder, false);
  const Files before = files_in(folder);
  const std::vector<faults::Call> calls = faults::run(folder, -1, {}, [&] { w.write(folder, true); });
  const Files after = files_in(folder);
  EXPECT(before != after && !before.empty());
  std::set<std::string> seen;
  int tries = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].writes) seen.insert(calls[i].name);
    for (const faults::Fault& fault : faults::of(calls[i])) {
      ++tries, ++test::expectations;
      const std::string wrong = tried(w, before, after, folder, static_cast<int>(i), calls[i], fault);
      if (!wrong.empty())
        test::fail(__FILE__, __LINE__,
                   text(w.name, ", call ", i, ", ", faults::describe(calls[i], fault), ": ", wrong));
    }
  }
  // Fails for writers whose system calls are not intercepted.
  for (const char* needed : {"open", "write", "fsync", "close"}) {
    ++test::expectations;
    if (!seen.count(needed)) test::fail(__FILE__, __LINE__, text(w.name, " never calls ", needed));
  }
  for (const char* needed : {"rename", "fsync of a folder"})
    if (!w.whole && !seen.count(needed)) test::fail(__FILE__, __LINE__, text(w.name, " never calls ", needed));
  std::printf("  %s: %zu calls, %d faults\n", w.name, calls.size(), tries);
}

Array values(bool again) { return arange(40000).astype(float32) + (again ? 1.f : 0.f); }

struct Model : Chain {
  L::Linear l{3, 2};
  CHAINER_MEMBERS(Model, l);
  Variable forward(const Variable& x) { return F::relu(l(x)); }
};
Model model(bool again) {
  Model m;
  m.l.W.set_array(full({2, 3}, again ? 2.f : 1.f));
  return m;
}

// Runs one iteration of a trainer with an extension in the folder of an earlier run.
void train(const fs::path& folder, bool again, const std::function<void(Trainer&)>& extend) {
  random::seed(again ? 2 : 1);
  L::Classifier classifier(Model{});
  auto optimizer = optimizers::SGD(again ? 0.5 : 0.1).setup(classifier);
  iterators::SerialIterator iterator(
      datasets::TupleDataset(arange(12).reshape({4, 3}).astype(float32), arange(4).astype(int32) % 2), 2);
  training::StandardUpdater updater(iterator, optimizer);
  Trainer trainer(updater, {1, "iteration"}, {.out = folder.string()});
  extend(trainer);
  trainer.run(false);
}
const training::Trigger kAlways(1, "iteration");

plot::Figure figure(bool again) {
  plot::Figure f;
  f.axes[0].series.push_back({.label = "values", .x = {0, 1, 2}, .y = {1, again ? 3.0 : 2.0, 4}});
  return f;
}

std::vector<Writer> writers() {
  std::vector<Writer> all = {
      {"npy", [](const fs::path& f, bool again) { save_npy(f / "a.npy", values(again)); }},
      {"npz",
       [](const fs::path& f, bool again) {
         Model m = model(again);
         serializers::save_npz(f / "a.npz", m);
       }},
      {"npz, large and not packed",
       [](const fs::path& f, bool again) {
         serializers::write_npz(f / "a.npz", {{"x", values(again)}, {"y", values(!again)}}, false);
       }},
      {"safetensors",
       [](const fs::path& f, bool again) {
         Model m = model(again);
         serializers::save_safetensors(f / "a.safetensors", m);
       }},
      {"tokenizer",
       [](const fs::path& f, bool again) {
         const std::vector<std::string> corpus{again ? "ab ab" : "cd cd"};
         tokenizers::Tokenizer::train_byte_level_bpe(corpus, {.vocabulary = 257}).save(f / "tokenizer.json");
       }},
      {"records",
       [](const fs::path& f, bool again) {
         datasets::PickleDatasetWriter w(f / "a.pkl");
         for (int i = 0; i < 3; ++i) w.write(Example(values(again)));
         w.close();
       }},
      {"records, appended",
       [](const fs::path& f, bool again) {
         datasets::PickleDatasetWriter w(f / "a.pkl", {.append = again});
         for (int i = 0; i < 3; ++i) w.write(Example(values(again))), w.write(Example(array(i)));
         w.close();
       },
       [](const Files& before, const Files& now, const fs::path& f) {
         const std::string &old = before.at("a.pkl"), &bytes = now.at("a.pkl");
         try {
           const int64_t count = datasets::PickleDataset(f / "a.pkl").size();
           return now.size() == 1 && bytes.starts_with(old) && count >= 6 && count < 12;
         } catch (const FileError&) { return false; }
       }},
      {"the cache of downloads",
       [](const fs::path& f, bool again) {
         const QuietErrors quiet;
         static const test::Folder sources;
         const fs::path source = sources.path / (again ? "b" : "a");
         if (!fs::exists(source)) write_file(source, std::string(1000, again ? 'b' : 'a'));
         dataset::set_dataset_root(f);
         (void)dataset::cached_download("file://" + source.string());
       }},
      {"the cache of datasets",
       [](const fs::path& f, bool again) {
         dataset::cache_or_load_file(
             f / (again ? "b" : "a"), [&](const fs::path& p) { save_npy(p, values(again)); }, [](const fs::path&) {});
       }},
      {"the log",
       [](const fs::path& f, bool again) {
         train(f, again, [](Trainer& t) {
           t.extend(extensions::LogReport({.trigger = kAlways, .postprocess = [](json::Object& o) {
                                             for (auto& [key, value] : o)
                                               if (key == "elapsed_time") value = 0;
                                           }}));
         });
       }},
      {"snapshots",
       [](const fs::path& f, bool again) {
         Model m = model(again);
         train(f, again, [&](Trainer& t) {
           t.extend(extensions::snapshot_object(m, "model_{.updater.iteration}"), {.trigger = kAlways});
         });
       }},
      {"the graph",
       [](const fs::path& f, bool again) {
         if (again) return train(f, again, [&](Trainer& t) { t.extend(extensions::dump_graph("main/loss")); });
         write_file(f / "cg.dot", "old");
       }},
  };
  const auto add_if = [&](bool available, Writer w) {
    if (available)
      all.push_back(std::move(w));
    else
      std::printf("  left out: %s\n", w.name);
  };
  const auto works = [](auto&& f) {
    try {
      f();
      return true;
    } catch (const MissingPartError&) { return false; }
  };
  const test::Folder probe;
  add_if(works([&] { (void)serializers::HDF5Group::create(probe.path / "a.h5"); }),
         {"hdf5", [](const fs::path& f, bool again) {
            Model m = model(again);
            serializers::save_hdf5(f / "a.h5", m);
          }});
  add_if(works([&] {
           (void)dataset::encode_png(zeros({4, 4, 3}, uint8));
         }),
         {"png", [](const fs::path& f, bool again) {
            write_file(f / "a.png", dataset::encode_png(full({40, 40, 3}, again ? 7 : 9).astype(uint8)));
          }});
  all.push_back({"curves of a run", [](const fs::path& f, bool again) {
                   live::write_curves(f, {{"main/loss", {{1, 2}, {3, again ? 4.0 : 5.0}}}});
                 }});
  for (const char* name : {"plot.png", "plot.svg"}) {
    add_if(plot::available(name),
           {name, [name](const fs::path& f, bool again) { plot::save(figure(again), f / name); }});
  }
  add_if(plot::available(), {"PlotReport", [](const fs::path& f, bool again) {
                               train(f, again, [&](Trainer& t) {
                                 t.extend(extensions::PlotReport({"main/loss"}, {.trigger = kAlways}),
                                          {.trigger = kAlways});
                               });
                             }});
  add_if(works([&] { (void)caffe::write_net({}); }), {"Caffe models", [](const fs::path& f, bool again) {
                                                        Model m = model(again);
                                                        exporters::caffe::export_model(m, {ones({1, 3})}, f);
                                                      }});
  // Two files that belong together: both are replaced, or none.
  for (const int64_t external_from : {int64_t(0), int64_t(1) << 30}) {
    add_if(works([&] {
             Model m = model(false);
             (void)onnx::export_model(m, {ones({1, 3})});
           }),
           {external_from ? "ONNX" : "ONNX with its weights beside", [external_from](const fs::path& f, bool again) {
              Model m = model(again);
              onnx::export_model(m, {ones({1, 3})}, f / "a.onnx", {.external_data_from = external_from});
            }});
  }
  return all;
}

}  // namespace

TEST(writers_leave_the_old_file_or_the_new_one) {
  for (const Writer& w : writers()) try_all(w);
}
