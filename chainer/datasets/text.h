// Lines of text files (manual: "TextDataset").
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/core/mapped_file.h"
#include "chainer/datasets/dataset.h"

namespace chainer::datasets {

/// What bytes that make no sense in an encoding become.
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
  /// ValueError unless there is one for all or one for each of n files.
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
  /// None: \n, \r and \r\n end lines and become \n; "": they end lines and stay; else the one that ends lines.
  PerFile<std::optional<std::string>> newline = std::optional<std::string>();
  std::function<bool(const std::vector<std::string>&)> filter_func = {};  ///< keeps the lines for which it is true
};
/// Lines of one text file, or tuples of the lines with one number of several files of equal length (sentences and their
/// translations), each with its newline. Where lines begin is found once; they are read when they are asked for, by any
/// number of threads. Files of different numbers of lines are a ValueError, bytes outside the encoding a ValueError
/// that names file and line.
class TextDataset : public Dataset {
 public:
  explicit TextDataset(const std::filesystem::path& path, const TextDatasetOptions& options = {})
      : TextDataset(std::vector<std::filesystem::path>{path}, options) {}
  explicit TextDataset(const std::vector<std::filesystem::path>& paths, const TextDatasetOptions& options = {});
  /// TextDataset({"a", "b"}), of which a path could be made, too: of two iterators.
  explicit TextDataset(std::initializer_list<std::filesystem::path> paths, const TextDatasetOptions& options = {})
      : TextDataset(std::vector<std::filesystem::path>(paths), options) {}
  int64_t size() const override { return static_cast<int64_t>(lines_.size()); }
  /// The lines of all files with one number, in UTF-8.
  std::vector<std::string> lines(int64_t i) const;
  /// The same as an example: int32 arrays of code points, which utf8() turns into text again.
  Example get(int64_t i) const override;
  /// A dataset whose examples a function makes from the lines.
  AnyDataset transform(std::function<Example(const std::vector<std::string>&)> make) const;
  /// Lets go of the files; lines cannot be read afterwards.
  void close() { files_.clear(); }

 private:
  struct File {
    std::string path, encoding;
    TextErrors errors = TextErrors::strict;
    std::optional<std::string> newline;
    std::shared_ptr<const MappedFile> map;
    std::shared_ptr<const std::vector<std::size_t>> begins;  // of each line, and the end
  };
  std::string line(const File& file, std::size_t number) const;
  std::vector<File> files_;
  std::vector<std::size_t> lines_;  // those that the filter keeps
};

/// The code points of a UTF-8 text, int32; what is no UTF-8 becomes U+FFFD.
Array code_points(std::string_view utf8);
/// The text of code points.
std::string utf8(const Array& code_points);

}  // namespace chainer::datasets
