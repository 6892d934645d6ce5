// SPDX-License-Identifier: MIT
// Lines of text files (manual: "TextDataset").
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/system/mapped_file.h"
#include "chainer/datasets/dataset.h"
#include "chainer/core/other_options.h"

namespace chainer::datasets {

/// The handling of bytes that are invalid in an encoding: an error, none, or a replacement character.
enum class TextErrors { strict, ignore, replace };

/// One value for all files, or one for each.
template <class T>
class PerFile {
 public:
  PerFile(T all) : values_{std::move(all)} {}
  PerFile(std::vector<T> each) : values_(std::move(each)), each_(true) {}
  template <class U>
  requires(std::constructible_from<T, U> && !std::same_as<std::remove_cvref_t<U>, PerFile> &&
           !std::same_as<std::remove_cvref_t<U>, std::vector<T>>) PerFile(U&& all)
      : PerFile(T(std::forward<U>(all))) {}
  /// Returns the value for file i. Throws ValueError unless there is one value for all or one for each of n files.
  const T& of(std::size_t i, std::size_t n, const char* what) const {
    if (each_ && values_.size() != n)
      throw ValueError("TextDataset: ", values_.size(), " ", what, " for ", n, " files");
    return values_[each_ ? i : 0];
  }

 private:
  std::vector<T> values_;
  bool each_ = false;
};

/// Options of TextDataset, in the manual's order.
struct TextDatasetOptions {
  /// utf-8 (the default), ascii, latin-1, utf-16 (with a byte order mark), utf-16-le or utf-16-be.
  PerFile<std::string> encoding = std::string("utf-8");
  PerFile<TextErrors> errors = TextErrors::strict;
  /// None: \n, \r and \r\n end lines and become \n; "": these end lines and are kept; otherwise the only line ending.
  PerFile<std::optional<std::string>> newline = std::optional<std::string>();
  std::function<bool(const std::vector<std::string>&)> filter_func = {};  ///< returns true for lines to keep
};
/// Lines of one text file, or tuples of lines of several files with the same number of lines (sentences and their
/// translations), each with its newline. The constructor finds the beginnings of lines; lines are read on access, by
/// any number of threads, and the files must not shrink before close(). Throws ValueError if the numbers of lines
/// differ, for an unknown encoding or newline, and, naming file and line, for invalid bytes with TextErrors::strict.
class TextDataset : public Dataset {
 public:
  explicit TextDataset(const std::filesystem::path& path, const TextDatasetOptions& options = {})
      : TextDataset(std::vector<std::filesystem::path>{path}, options) {}
  CHAINER_OTHER_OPTIONS(TextDataset, ".encoding, .errors, .newline, .filter_func", const std::filesystem::path&);
  explicit TextDataset(const std::vector<std::filesystem::path>& paths, const TextDatasetOptions& options = {});
  CHAINER_OTHER_OPTIONS(TextDataset, ".encoding, .errors, .newline, .filter_func",
                        const std::vector<std::filesystem::path>&);
  /// Makes TextDataset({"a", "b"}) a list of two paths. (A path can also be constructed from two iterators.)
  explicit TextDataset(std::initializer_list<std::filesystem::path> paths, const TextDatasetOptions& options = {})
      : TextDataset(std::vector<std::filesystem::path>(paths), options) {}
  CHAINER_OTHER_OPTIONS(TextDataset, ".encoding, .errors, .newline, .filter_func",
                        std::initializer_list<std::filesystem::path>);
  int64_t size() const override { return static_cast<int64_t>(lines_.size()); }
  /// Returns line i of each file, in UTF-8. Throws IndexError out of range, RuntimeError after close().
  std::vector<std::string> lines(int64_t i) const;
  /// Returns the lines as an example: int32 arrays of code points, which utf8() converts to strings.
  Example get(int64_t i) const override;
  /// Returns a dataset whose examples a function makes from the lines.
  AnyDataset transform(std::function<Example(const std::vector<std::string>&)> make) const;
  /// Closes the files.
  void close() { files_.clear(); }

 private:
  struct File {
    std::string path, encoding;
    TextErrors errors = TextErrors::strict;
    std::optional<std::string> newline;
    std::shared_ptr<const MappedFile> map;
    std::shared_ptr<const std::vector<std::size_t>> begins;  // the beginning of each line, and the end of the file
  };
  std::string line(const File& file, std::size_t number) const;
  std::vector<File> files_;
  std::vector<std::size_t> lines_;  // the numbers of lines that the filter keeps
};

/// Returns the code points of a UTF-8 string, int32 (n); invalid bytes become U+FFFD.
Array code_points(std::string_view utf8);
/// Returns the UTF-8 string of code points (n). Throws ValueError for numbers that are not code points.
std::string utf8(const Array& code_points);

}  // namespace chainer::datasets
