// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <limits>
#include <exception>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/read_number.h"
#include "chainer/core/utf8.h"
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {
namespace {

namespace fs = std::filesystem;

// Splits the pattern of a file name at its fields {...}. n fields give n + 1 pieces of text.
std::vector<std::string> pieces_of(const std::string& pattern) {
  std::vector<std::string> pieces(1);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t end = pattern[i] == '{' ? pattern.find('}', i) : pattern.npos;
    if (end == pattern.npos) {
      pieces.back() += pattern[i];
    } else {
      pieces.emplace_back();
      i = end;
    }
  }
  return pieces;
}

// Finds the numbers that give the name when they are inserted in the pattern's fields. The longest numbers are tried
// first.
bool match(std::string_view name, const std::vector<std::string>& pieces, std::size_t piece, std::vector<double>& out) {
  const std::string& head = pieces[piece];
  if (name.substr(0, head.size()) != head) return false;
  name.remove_prefix(head.size());
  if (piece + 1 == pieces.size()) return name.empty();
  const std::size_t padding = std::min(name.find_first_not_of(' '), name.size());
  std::size_t length = std::min(name.find_first_not_of("0123456789.e+-", padding), name.size());
  for (; length > padding; --length) {
    double number = 0;
    const auto r = read_number(name.data() + padding, name.data() + length, number);
    if (r.ec != std::errc() || r.ptr != name.data() + length) continue;
    out.push_back(number);
    if (match(name.substr(length), pieces, piece + 1, out)) return true;
    out.pop_back();
  }
  return false;
}

// Files whose names match a pattern, and the folders of such files. Names of temporary files never match.
struct Found {
  struct File {
    double begun;                // when the run that wrote the file began
    fs::file_time_type written;  // only if `begun` is unknown
    std::vector<double> numbers;
    fs::path path;
    auto operator<=>(const File&) const = default;
  };
  std::vector<File> files;
  std::set<fs::path> folders;
};

// Matches the parts of a pattern between slashes, from `part` on, below `folder`. `numbers` are the values of fields in
// the parts before.
void find(const fs::path& folder, fs::path::iterator part, fs::path::iterator end, const std::vector<double>& numbers,
          Found& out) {
  const auto next = std::next(part);
  const std::vector<std::string> pieces = pieces_of(part->string());
  if (next != end && pieces.size() == 1) return find(folder / *part, next, end, numbers, out);
  if (next == end) out.folders.insert(folder);
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw FileAccessError("cannot look for snapshots in ", folder.string(), ": ", error.message());
  for (const auto& e : entries) {
    const std::string name = e.path().filename().string();
    std::vector<double> more = numbers;
    if (name.rfind("tmp-", 0) == 0 || !match(name, pieces, 0, more)) continue;
    if (next == end)
      out.files.push_back({0, {}, std::move(more), folder / name});
    else if (std::error_code ignored; e.is_directory(ignored))
      find(folder / name, next, end, more, out);
  }
}

// Returns when the run that wrote a snapshot began: 0 if the file does not tell (sorted first), infinity if the file is
// damaged (sorted last, so that it is tried first and reported in a warning).
double begin_of_run(const fs::path& file) {
  try {
    serializers::NpzDeserializer s(std::make_shared<const serializers::NpzFile>(file));
    double begun = 0;
    if (s.contains("_run_begun")) s("_run_begun", begun);
    return begun;
  } catch (const Error&) { return std::numeric_limits<double>::infinity(); }
}

// Returns the matching files below a folder, oldest first: sorted by the beginning of their runs, or the time of
// writing if they do not tell (snapshots of single objects), then by the numbers in their names, which grow during a
// run.
Found matching(const fs::path& folder, const std::string& pattern) {
  Found out;
  const fs::path parts(pattern);
  if (!parts.empty()) find(folder, parts.begin(), parts.end(), {}, out);
  for (Found::File& f : out.files) {
    f.begun = begin_of_run(f.path);
    std::error_code gone;
    if (f.begun == 0) f.written = fs::last_write_time(f.path, gone);
  }
  std::sort(out.files.begin(), out.files.end());
  return out;
}

// Returns true if an error can result from damaged contents of a file, or from the file of a different trainer.
bool is_of_content(const Error& e) {
  const auto is = [&]<class... T>() { return (... || (dynamic_cast<const T*>(&e) != nullptr)); };
  return !is.operator()<FileAccessError>() && is.operator()<FileError, KeyError, ValueError, TypeError, IndexError>();
}

// Writes a file below the output folder, and removes those that are not retained.
void write(const SnapshotOptions& options, const fs::path& out, const fs::path& file,
           const serializers::DictionarySerializer::Target& values) {
  std::error_code ignored;  // a failure is reported by the write below
  fs::create_directories(file.parent_path(), ignored);
  serializers::write_npz(file, values, options.compression);
  if (!options.n_retains) return;
  const auto files = matching(out, options.filename).files;
  const bool folders_too = fs::path(options.filename).parent_path().string().find('{') != std::string::npos;
  for (std::size_t i = 0; i + static_cast<std::size_t>(std::max<int64_t>(1, *options.n_retains)) < files.size(); ++i) {
    const fs::path& old = files[i].path;
    if (old == file) continue;
    fs::remove(old, ignored);
    if (folders_too) fs::remove(old.parent_path(), ignored);  // removes empty folders only
  }
}

}  // namespace

std::optional<fs::path> load_newest_snapshot(Trainer& trainer, const fs::path& folder, const std::string& filename) {
  auto [files, folders] = matching(folder, filename);
  for (const fs::path& place : folders) remove_orphaned_temporaries(place);
  std::exception_ptr half_loaded;
  std::vector<chainer::Parameter> without_shape;  // a failed load may give them the shapes of a wrong file
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers())
    if (optimizer->has_target())
      for (const chainer::Parameter& p : optimizer->target().params())
        if (!p.is_initialized()) without_shape.push_back(p);
  for (; !files.empty(); files.pop_back()) {
    const fs::path& file = files.back().path;
    bool touched = false;
    try {
      const auto npz = std::make_shared<const serializers::NpzFile>(file);
      // Reads every member before the trainer is modified, so that a damaged file changes nothing.
      for (const std::string& key : npz->keys()) npz->check(key);
      serializers::NpzDeserializer s(npz);
      touched = true;
      trainer.serialize(s);
      return file;
    } catch (const Error& e) {
      if (!is_of_content(e)) throw;  // the file may be intact; a run that starts without it would overwrite it
      std::fprintf(stderr, "warning: snapshot %s is skipped: %s\n", printable(file.string()).c_str(),
                   printable(e.what()).c_str());
      if (touched && !half_loaded) half_loaded = std::current_exception();
      for (chainer::Parameter& p : without_shape) p.uninitialize();
    }
  }
  // No older snapshot has overwritten the partial state from the file of a different trainer.
  if (half_loaded) std::rethrow_exception(half_loaded);
  return {};
}

void Snapshot::load(Trainer& trainer) {
  if (options_.autoload && !target_) load_newest_snapshot(trainer, trainer.out(), options_.filename);
}

void Snapshot::operator()(Trainer& trainer) {
  const fs::path file = this->file(trainer);
  serializers::DictionarySerializer s(false);  // written at once, or copied below
  if (target_)
    target_(trainer, s);
  else
    trainer.serialize(s);
  if (!work_) return write(options_, trainer.out(), file, s.target());
  auto values = std::make_shared<serializers::DictionarySerializer::Target>(s.target());
  for (auto& [key, value] : *values)
    if (Array* a = std::get_if<Array>(&value)) *a = a->device().is_host() ? a->copy() : a->to_device({});
  work_->start([o = options_, out = trainer.out(), file, values] { write(o, out, file, *values); });
}

void Snapshot::finalize() {
  if (work_) work_->wait();
}

Snapshot snapshot(const SnapshotOptions& options) { return Snapshot(options); }

}  // namespace chainer::training::extensions
