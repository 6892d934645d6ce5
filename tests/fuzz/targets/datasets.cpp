// The readers of datasets' files, and HDF5.
#include <chainer/chainer.h>

#include <unistd.h>

#include <filesystem>

#include "../targets.h"
#include "chainer/core/file.h"
#include "chainer/datasets/archive.h"
#include "chainer/datasets/image.h"
#include "chainer/datasets/matlab.h"
#include "chainer/datasets/pickle.h"

using namespace chainer;

namespace fuzz {
namespace {

// A file with these bytes, of one name a process; removed at the end.
std::filesystem::path file_of(std::string_view bytes) {
  struct File {
    std::filesystem::path path = std::filesystem::temp_directory_path() / text("chainer-fuzz-data-", ::getpid());
    ~File() { std::filesystem::remove(path); }
  };
  static const File file;
  write_file(file.path, bytes);
  return file.path;
}

void read_all(serializers::HDF5Group& group, int depth) {
  for (const std::string& name : group.names()) {
    try {
      if (group.contains(name)) (void)group.read(name);
      if (const auto child = depth > 0 ? group.group(name, false) : nullptr) read_all(*child, depth - 1);
    } catch (const FileError&) {}
  }
}

}  // namespace

void picture(std::string_view bytes) {
  try {
    const auto p = dataset::decode_picture(bytes, "fuzzed");
    (void)dataset::picture_array(p, float32).raw();
  } catch (const FileError&) {
  } catch (const MissingPartError&) {}
}

void pickle(std::string_view bytes) {
  try {
    const Example e = dataset::parse_pickle(bytes, "fuzzed");
    (void)dataset::pickle_end(bytes, 0, "fuzzed");
    (void)dataset::make_pickle(e);
  } catch (const FileError&) {}
}

void matlab(std::string_view bytes) {
  try {
    (void)dataset::parse_matlab(bytes, "fuzzed");
  } catch (const FileError&) {}
}

void tar(std::string_view bytes) {
  try {
    (void)dataset::tar_members(bytes, "fuzzed");
  } catch (const FileError&) {}
}

void table(std::string_view bytes) {
  try {
    const datasets::CsvTable t(bytes, "fuzzed");
    for (const std::string& name : t.names()) (void)t.column(name);
  } catch (const FileError&) {
  } catch (const ValueError&) {}
}

void lines(std::string_view bytes) {
  if (bytes.empty()) return;
  static constexpr const char* encodings[] = {"utf-8", "ascii", "latin-1", "utf-16", "utf-16-be"};
  const auto errors = bytes[0] & 1 ? datasets::TextErrors::replace : datasets::TextErrors::strict;
  try {
    const datasets::TextDataset d(
        file_of(bytes.substr(1)),
        {.encoding = encodings[static_cast<unsigned char>(bytes[0]) / 2 % 5], .errors = errors});
    for (int64_t i = 0; i < d.size(); ++i) (void)d.get(i);
  } catch (const ValueError&) {}
}

void hdf5(std::string_view bytes) {
  try {
    read_all(*serializers::HDF5Group::open(file_of(bytes)), 3);
  } catch (const FileError&) {
  } catch (const MissingPartError&) {}
}

}  // namespace fuzz
