// SPDX-License-Identifier: MIT
// Every reader of the library, with each of its system calls failing in turn: its result is correct, or an error names
// the file and the cause.
#include <chainer/chainer.h>

#include <cstring>
#include <functional>
#include <set>

#include "chainer/core/system/file.h"
#include "chainer/core/system/mapped_file.h"
#include "chainer/datasets/csv.h"
#include "chainer/datasets/image.h"
#include "chainer/datasets/md5.h"
#include "chainer/links/caffe/caffe_function.h"
#include "chainer/links/caffe/net.h"
#include "chainer/onnx/onnx.h"
#include "chainer/routines/npy.h"
#include "chainer/serializers/hdf5.h"
#include "chainer/serializers/safetensors.h"
#include "chainer/tokenizers/tokenizer.h"
#include "chainer/serializers/zip.h"
#include "faults.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace {

struct Reader {
  const char* name;
  std::string file;
  std::function<std::string(const fs::path&)> read;  // returns the content as text
};

struct Affine : Chain {
  L::Linear l{30, 20};
  CHAINER_MEMBERS(Affine, l);
  Variable forward(const Variable& x) { return F::relu(l(x)); }
};
std::string content(const Array& a) { return text(a.shape(), sum(a.astype(float64)).item<double>()); }
std::string content(const Dataset& d) {
  std::string out;
  for (int64_t i = 0; i < d.size(); ++i)
    for (const Array& a : d.get(i).arrays()) out += content(a);
  return out;
}

std::vector<Reader> readers(const fs::path& folder) {
  random::seed(5);
  const fs::path f = folder;
  Affine model;
  const Array many = random::randn({300, 300});
  save_npy(f / "a.npy", many);
  serializers::write_npz(f / "a.npz", {{"x", many}});
  serializers::write_npz(f / "stored.npz", {{"x", many}}, false);
  serializers::save_npz(f / "m.npz", model);
  serializers::save_safetensors(f / "m.safetensors", model);
  write_file(f / "a.csv", "a,b\n1,2\n3,4\n");
  write_file(f / "a.txt", "one\ntwo\n");
  write_file(f / "a.json", "{\"a\": [1, 2]}");
  tokenizers::Tokenizer::train_byte_level_bpe({"ab ab"}, {.vocabulary = 257}).save(f / "tokenizer.json");
  write_file(f / "a.ppm", "P6 2 1 255\nabcdef");
  zip::Writer pictures(true);
  pictures.add("a.ppm", "P6 2 1 255\nabcdef");
  write_file(f / "a.zip", pictures.finish());
  write_file(f / "list.txt", "a.ppm 3\n");
  {
    datasets::PickleDatasetWriter w(f / "a.pkl");
    for (int i = 0; i < 3; ++i) w.write(Example(many));
  }
  const auto loaded = [](const Affine& m) { return content(m.l.W.array()); };
  std::vector<Reader> all = {
      {"npy", "a.npy", [](const fs::path& p) { return content(load_npy(p)); }},
      {"npy, mapped", "a.npy", [](const fs::path& p) { return content(map_npy(p)); }},
      {"npz", "a.npz", [](const fs::path& p) { return content(serializers::NpzFile(p).array("x")); }},
      {"npz, mapped", "stored.npz", [](const fs::path& p) { return content(serializers::NpzFile(p).mapped("x")); }},
      {"npz into a model", "m.npz",
       [loaded](const fs::path& p) {
         Affine m;
         serializers::load_npz(p, m);
         return loaded(m);
       }},
      {"safetensors", "m.safetensors",
       [loaded](const fs::path& p) {
         Affine m;
         serializers::load_safetensors(p, m);
         return loaded(m);
       }},
      {"csv", "a.csv", [](const fs::path& p) { return content(datasets::read_csv(p).column("b")); }},
      {"text", "a.txt", [](const fs::path& p) { return content(datasets::TextDataset(p)); }},
      {"json", "a.json", [](const fs::path& p) { return json::dump(json::parse(read_file(p))); }},
      {"tokenizer", "tokenizer.json",
       [](const fs::path& p) { return text(tokenizers::Tokenizer::load(p).encode("ab").size()); }},
      {"md5", "a.npy", [](const fs::path& p) { return dataset::md5_of_file(p); }},
      {"picture", "a.ppm", [](const fs::path& p) { return content(dataset::read_image(p)); }},
      {"pictures", "list.txt",
       [](const fs::path& p) { return content(datasets::LabeledImageDataset(p, {.root = p.parent_path()})); }},
      {"zipped pictures", "a.zip", [](const fs::path& p) { return content(datasets::ZippedImageDataset(p)); }},
      {"records", "a.pkl", [](const fs::path& p) { return content(datasets::PickleDataset(p)); }},
  };
  try {
    serializers::save_hdf5(f / "m.h5", model);
    all.push_back({"hdf5", "m.h5", [loaded](const fs::path& p) {
                     Affine m;
                     serializers::load_hdf5(p, m);
                     return loaded(m);
                   }});
  } catch (const MissingPartError&) { std::printf("  left out: hdf5\n"); }
  try {
    onnx::export_model(model, {ones({1, 30})}, f / "m.onnx");
    onnx::export_model(model, {ones({1, 30})}, f / "apart.onnx", {.external_data_from = 0});
    for (const char* name : {"m.onnx", "apart.onnx"})
      all.push_back({"ONNX", name, [](const fs::path& p) {
                       onnx::Model m(p);
                       return content(m.call({Variable(ones({1, 30}))})[0].array());
                     }});
    caffe::Net net;
    caffe::Layer l;
    l.name = "l", l.type = "InnerProduct", l.bottoms = {"data"}, l.tops = {"y"}, l.num_output = 300;
    l.blobs = {many.astype(float32), zeros({300}, float32)};  // larger than one read
    net.layers.push_back(l);
    write_file(f / "m.caffemodel", caffe::write_net(net));
    all.push_back({"Caffe model", "m.caffemodel",
                   [](const fs::path& p) { return content(caffe::read_net(p).layers.at(0).blobs.at(0)); }});
  } catch (const MissingPartError&) { std::printf("  left out: ONNX and Caffe models\n"); }
  return all;
}

}  // namespace

TEST(readers_read_what_is_there_or_say_why_not) {
  const test::Folder place;
  for (const Reader& r : readers(place.path)) {
    const fs::path file = place.path / r.file;
    std::string right;
    const auto calls = faults::run(place.path, -1, {}, [&] { right = r.read(file); });
    EXPECT(!calls.empty() && calls[0].name == "open");
    int tries = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (const faults::Fault& fault : faults::of(calls[i])) {
        ++tries, ++test::expectations;
        std::string wrong;
        try {
          std::string now;
          (void)faults::run(place.path, static_cast<int>(i), fault, [&] { now = r.read(file); });
          if (now != right) wrong = "it reads something else";
        } catch (const chainer::Error& e) {
          const std::string said = e.what();
          if (fault.kind != faults::Fault::error)
            wrong = "it needs no error: " + said;
          else if (said.find(std::strerror(fault.number)) == said.npos)
            wrong = "the cause is not in " + said;
          else if (said.find(place.path.string()) == said.npos)
            wrong = "the file is not in " + said;
        } catch (const std::exception& e) { wrong = text("no error of the library: ", e.what()); }
        if (!wrong.empty())
          test::fail(__FILE__, __LINE__,
                     text(r.name, ", call ", i, ", ", faults::describe(calls[i], fault), ": ", wrong));
      }
    }
    std::printf("  %s: %zu calls, %d faults\n", r.name, calls.size(), tries);
  }
}
