#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "chainer/core/file.h"
#include "chainer/training/extensions.h"

namespace chainer::training::extensions {
namespace {

namespace fs = std::filesystem;

// A file name's pattern, cut at its fields: one piece of text more than there are fields.
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

// Finds the numbers that, in the pattern's fields, give the name. A number takes as many characters as it can.
bool match(std::string_view name, const std::vector<std::string>& pieces, std::size_t piece, std::vector<double>& out) {
  const std::string& head = pieces[piece];
  if (name.substr(0, head.size()) != head) return false;
  name.remove_prefix(head.size());
  if (piece + 1 == pieces.size()) return name.empty();
  const std::size_t padding = std::min(name.find_first_not_of(' '), name.size());
  std::size_t length = std::min(name.find_first_not_of("0123456789.e+-", padding), name.size());
  for (; length > padding; --length) {
    double number = 0;
    const auto r = std::from_chars(name.data() + padding, name.data() + length, number);
    if (r.ec != std::errc() || r.ptr != name.data() + length) continue;
    out.push_back(number);
    if (match(name.substr(length), pieces, piece + 1, out)) return true;
    out.pop_back();
  }
  return false;
}

// Files in a folder whose names are the pattern with numbers filled in, oldest first: every field grows as training
// goes on, so the first that differs decides. Temporary names never match.
std::vector<fs::path> matching(const fs::path& folder, const std::string& pattern) {
  const std::vector<std::string> pieces = pieces_of(pattern);
  std::vector<std::pair<std::vector<double>, fs::path>> found;
  std::error_code error;
  for (const auto& e : fs::directory_iterator(folder, error)) {
    const std::string name = e.path().filename().string();
    std::vector<double> numbers;
    if (name.rfind("tmp-", 0) != 0 && match(name, pieces, 0, numbers)) found.emplace_back(numbers, e.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> out;
  for (auto& [n, p] : found) out.push_back(std::move(p));
  return out;
}

}  // namespace

std::optional<fs::path> load_newest_snapshot(Trainer& trainer, const fs::path& folder, const std::string& filename) {
  remove_orphaned_temporaries(folder);
  std::vector<fs::path> files = matching(folder, filename);
  std::exception_ptr half_loaded;
  std::vector<chainer::Parameter> without_shape;  // they take the first file's, which may be the wrong one
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers())
    if (optimizer->has_target())
      for (const chainer::Parameter& p : optimizer->target().params())
        if (!p.is_initialized()) without_shape.push_back(p);
  for (; !files.empty(); files.pop_back()) {
    const fs::path& file = files.back();
    bool touched = false;
    try {
      const auto npz = std::make_shared<const serializers::NpzFile>(file);
      // Every member is read once before the trainer is touched: a damaged file changes nothing.
      for (const std::string& key : npz->keys()) npz->check(key);
      serializers::NpzDeserializer s(npz);
      touched = true;
      trainer.serialize(s);
      return file;
    } catch (const Error& e) {
      std::fprintf(stderr, "warning: snapshot %s is passed over: %s\n", file.c_str(), e.what());
      if (touched && !half_loaded) half_loaded = std::current_exception();
      for (chainer::Parameter& p : without_shape) p.uninitialize();
    }
  }
  // No older one has made good what a file of another trainer left behind.
  if (half_loaded) std::rethrow_exception(half_loaded);
  return {};
}

void Snapshot::load(Trainer& trainer) {
  if (options_.autoload && !target_) load_newest_snapshot(trainer, trainer.out(), options_.filename);
}

void Snapshot::operator()(Trainer& trainer) {
  const fs::path file = trainer.out() / trainer.format(options_.filename);
  serializers::DictionarySerializer s;
  if (target_)
    target_(trainer, s);
  else
    trainer.serialize(s);
  serializers::write_npz(file, s.target(), options_.compression);
  if (!options_.n_retains) return;
  std::vector<fs::path> files = matching(trainer.out(), options_.filename);
  std::error_code ignored;
  for (std::size_t i = 0; i + static_cast<std::size_t>(std::max<int64_t>(1, *options_.n_retains)) < files.size(); ++i)
    if (files[i] != file) fs::remove(files[i], ignored);
}

Snapshot snapshot(const SnapshotOptions& options) { return Snapshot(options); }

}  // namespace chainer::training::extensions
