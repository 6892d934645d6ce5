// SPDX-License-Identifier: MIT
// Datasets and serializers that open files themselves.
#include <chainer/chainer.h>

#include <cstdlib>

#include "../scratch.h"
#include "../targets.h"
#include "chainer/serializers/zip.h"

using namespace chainer;

namespace fuzz {
namespace {

void read_all(serializers::HDF5Group& group, int depth) {
  for (const std::string& name : group.names()) {
    try {
      if (group.contains(name)) {
        const serializers::HDF5Value v = group.read(name);
        if (v.text && v.array) std::abort();
        if (v.array && v.array.size() > 0) (void)sum(v.array.astype(float64)).item<double>();
      } else if (const auto child = group.group(name, false); child && depth < 4) {
        read_all(*child, depth + 1);
      }
    } catch (const Error&) {}
  }
}

// Reads every example; a damaged example does not affect the others.
void read_all(const Dataset& dataset) {
  for (int64_t i = 0; i < dataset.size(); ++i) {
    try {
      const Example e = dataset.get(i);
      for (const Array& a : e.arrays())
        if (a && a.size() > 0) (void)sum(a).item<double>();
    } catch (const Error&) {}
  }
}

}  // namespace

void hdf5(std::string_view bytes) {
  const ScratchFile file(bytes);
  try {
    read_all(*serializers::HDF5Group::open(file.path()), 0);
  } catch (const Error&) {}
  try {
    L::Linear l(3, 2);
    serializers::load_hdf5(file.path(), l);
    (void)l(ones({1, 3})).array().raw();
  } catch (const Error&) {}
}

void records(std::string_view bytes) {
  const ScratchFile file(bytes);
  try {
    read_all(datasets::PickleDataset(file.path()));
  } catch (const Error&) {}
}

void lists(std::string_view bytes) {
  const ScratchFile file(bytes);
  (void)datasets::ImagePaths(file.path());
  try {
    for (const auto& [path, label] : datasets::LabeledPaths(file.path()).pairs)
      if (path.empty() || path.find_first_of(" \t\n") != path.npos) std::abort();
  } catch (const ValueError&) {}
}

void zipped_pictures(std::string_view bytes) {
  std::string archive(bytes.substr(0, 1) == "P" ? bytes : "");
  if (archive.empty()) {  // members: the length (two bytes, little-endian) and the picture
    zip::Writer writer(true);
    for (int number = 0; bytes.size() >= 2; ++number) {
      const std::size_t length =
          static_cast<unsigned char>(bytes[0]) | std::size_t(static_cast<unsigned char>(bytes[1])) << 8;
      bytes.remove_prefix(2);
      writer.add(text("picture", number), bytes.substr(0, length));
      bytes.remove_prefix(std::min(length, bytes.size()));
    }
    archive = writer.finish();
  }
  const ScratchFile file(archive);
  try {
    read_all(datasets::ZippedImageDataset(file.path()));
    read_all(datasets::MultiZippedImageDataset({file.path(), file.path()}));
    read_all(datasets::LabeledZippedImageDataset(file.path(), {{"picture0", 1}, {"none", 2}}));
  } catch (const Error&) {}
}

void texts(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes[0]);
  bytes.remove_prefix(1);
  const ScratchFile file(bytes);
  const char* const encodings[] = {"utf-8", "ascii", "latin-1", "utf-16", "utf-16-le", "utf-16-be"};
  using datasets::TextErrors;
  const TextErrors errors[] = {TextErrors::strict, TextErrors::ignore, TextErrors::replace};
  const std::optional<std::string> newlines[] = {{}, "", "\n", "\r", "\r\n"};
  datasets::TextDatasetOptions o;
  o.encoding = std::string(encodings[choice % 6]);
  o.errors = errors[choice / 6 % 3];
  o.newline = newlines[choice / 18 % 5];
  try {
    const datasets::TextDataset lines(file.path(), o);
    std::string all;
    for (int64_t i = 0; i < lines.size(); ++i) {
      const std::string line = lines.lines(i)[0];
      if (datasets::utf8(lines.get(i)[0]) != line) std::abort();
      all += line;
    }
    // Without newline translation, the concatenated lines of a well-formed file are the file.
    if (choice % 18 == 0 && choice / 18 % 5 != 0 && all != bytes) std::abort();
  } catch (const Error&) {}
}

}  // namespace fuzz
