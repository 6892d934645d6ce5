// SPDX-License-Identifier: MIT
#include "chainer/datasets/images.h"

#include <algorithm>
#include <charconv>

#include "chainer/autograd/config.h"
#include "chainer/core/system/file.h"
#include "chainer/datasets/image.h"
#include "chainer/routines/creation.h"
#include "chainer/serializers/zip.h"

namespace chainer::datasets {
namespace {

std::string_view stripped(std::string_view s) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t begin = s.find_first_not_of(blanks);
  return begin == s.npos ? std::string_view() : s.substr(begin, s.find_last_not_of(blanks) - begin + 1);
}

template <class F>
void each_line(const std::filesystem::path& file, F&& f) {
  const std::string content = read_file(file);
  int64_t number = 1;
  for (std::size_t at = 0; at < content.size(); ++number) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    f(number, stripped(std::string_view(content).substr(at, end - at)));
    at = end + 1;
  }
}

Array label_array(int64_t label, Dtype dtype) { return array(label).astype(dtype); }

}  // namespace

ImagePaths::ImagePaths(const std::filesystem::path& list_file) {
  each_line(list_file, [&](int64_t, std::string_view line) { paths.emplace_back(line); });
}

LabeledPaths::LabeledPaths(const std::filesystem::path& list_file) {
  each_line(list_file, [&](int64_t number, std::string_view line) {
    const std::size_t blank = line.find_last_of(" \t");
    int64_t label = 0;
    const bool parsed = blank != line.npos && [&] {
      const char* end = line.data() + line.size();
      const auto r = std::from_chars(line.data() + blank + 1, end, label);
      return r.ec == std::errc() && r.ptr == end;
    }();
    const std::string_view path = parsed ? stripped(line.substr(0, blank)) : std::string_view();
    if (path.empty() || path.find_first_of(" \t") != path.npos)
      throw ValueError(list_file.string(), ", line ", number, ": a path and an integer are expected, not '", line, "'");
    pairs.emplace_back(path, label);
  });
}

ImageDataset::ImageDataset(ImagePaths paths, const ImageDatasetOptions& o)
    : paths_(std::move(paths.paths)), root_(o.root), dtype_(get_dtype(o.dtype)), least_side_(o.least_side) {}
Example ImageDataset::get(int64_t i) const {
  return dataset::read_image(root_ / paths_[static_cast<std::size_t>(i)], dtype_, least_side_);
}

LabeledImageDataset::LabeledImageDataset(LabeledPaths pairs, const LabeledImageDatasetOptions& o)
    : pairs_(std::move(pairs.pairs)),
      root_(o.root),
      dtype_(get_dtype(o.dtype)),
      label_dtype_(o.label_dtype),
      least_side_(o.least_side) {}
Example LabeledImageDataset::get(int64_t i) const {
  const auto& [path, label] = pairs_[static_cast<std::size_t>(i)];
  return {dataset::read_image(root_ / path, dtype_, least_side_), label_array(label, label_dtype_)};
}

ZippedImageDataset::ZippedImageDataset(const std::filesystem::path& zipfilename, const ZippedImageDatasetOptions& o)
    : zipfilename_(zipfilename.string()),
      zip_(std::make_shared<const zip::Reader>(read_file(zipfilename), zipfilename_)),
      dtype_(get_dtype(o.dtype)),
      least_side_(o.least_side) {
  for (const std::string& name : zip_->names_in_order())
    if (!name.empty() && name.back() != '/') names_.push_back(name);
}
Array ZippedImageDataset::get(const std::string& name) const {
  const std::string what = text(zipfilename_, ", '", name, "'");
  return dataset::picture_array(dataset::decode_picture(zip_->read(name), what, least_side_), dtype_);
}
Example ZippedImageDataset::get(int64_t i) const { return get(names_[static_cast<std::size_t>(i)]); }

MultiZippedImageDataset::MultiZippedImageDataset(const std::vector<std::filesystem::path>& zipfilenames,
                                                 const ZippedImageDatasetOptions& o) {
  for (const auto& name : zipfilenames) {
    parts_.emplace_back(name, o);
    ends_.push_back(size() + parts_.back().size());
  }
}
Example MultiZippedImageDataset::get(int64_t i) const {
  const auto part = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), i) - ends_.begin());
  return parts_[part].get(i - (part == 0 ? 0 : ends_[part - 1]));
}

LabeledZippedImageDataset::LabeledZippedImageDataset(const std::filesystem::path& zipfilename, LabeledPaths pairs,
                                                     const LabeledZippedImageDatasetOptions& o)
    : pictures_(zipfilename, {.dtype = o.dtype, .least_side = o.least_side}),
      pairs_(std::move(pairs.pairs)),
      label_dtype_(o.label_dtype) {}
Example LabeledZippedImageDataset::get(int64_t i) const {
  const auto& [name, label] = pairs_[static_cast<std::size_t>(i)];
  return {pictures_.get(name), label_array(label, label_dtype_)};
}

}  // namespace chainer::datasets
