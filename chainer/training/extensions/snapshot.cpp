#include <algorithm>
#include <charconv>
#include <cstdio>

#include "chainer/training/extensions.h"

namespace chainer::training::extensions {
namespace {

namespace fs = std::filesystem;

// Files in a folder whose names are the pattern with numbers filled in, oldest first. Temporary names never match.
std::vector<fs::path> matching(const fs::path& folder, const std::string& pattern) {
  const auto open = pattern.find('{'), close = pattern.rfind('}');
  const std::string head = pattern.substr(0, open), tail = close == pattern.npos ? "" : pattern.substr(close + 1);
  std::vector<std::pair<double, fs::path>> found;
  std::error_code error;
  for (const auto& e : fs::directory_iterator(folder, error)) {
    const std::string name = e.path().filename().string();
    if (open == pattern.npos) {
      if (name == pattern) found.emplace_back(0, e.path());
      continue;
    }
    if (name.size() <= head.size() + tail.size() || name.compare(0, head.size(), head) != 0 ||
        name.compare(name.size() - tail.size(), tail.size(), tail) != 0)
      continue;
    const std::string middle = name.substr(head.size(), name.size() - head.size() - tail.size());
    double number = 0;
    const auto r = std::from_chars(middle.data(), middle.data() + middle.size(), number);
    if (r.ec != std::errc() || r.ptr != middle.data() + middle.size()) continue;
    found.emplace_back(number, e.path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> out;
  for (auto& [n, p] : found) out.push_back(std::move(p));
  return out;
}

}  // namespace

std::optional<fs::path> load_newest_snapshot(Trainer& trainer, const fs::path& folder, const std::string& filename) {
  std::vector<fs::path> files = matching(folder, filename);
  for (; !files.empty(); files.pop_back()) {
    const fs::path& file = files.back();
    try {
      const auto npz = std::make_shared<const serializers::NpzFile>(file);
      // Every member is read once before the trainer is touched: a damaged file changes nothing.
      for (const std::string& key : npz->keys()) npz->check(key);
      serializers::NpzDeserializer s(npz);
      trainer.serialize(s);
      return file;
    } catch (const FileError& e) {
      std::fprintf(stderr, "warning: snapshot %s is passed over: %s\n", file.c_str(), e.what());
    }
  }
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
