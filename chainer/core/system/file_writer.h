// SPDX-License-Identifier: MIT
// Writing files atomically; all files of the library are written by this class.
#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace chainer {

/// Writes a temporary file next to `path` and renames it when all data is on the disk: `path` is always the complete
/// old or new file. The temporary file is opened so that a planted link of that name is not followed. It takes the mode
/// of the file that it replaces and is removed by a writer that does not commit. If `path` is a symbolic link, the file
/// that it refers to is replaced. Pipes and devices are written directly.
///
/// Throws FileError with `path` and the reason; RuntimeError for a write after the end.
class FileWriter {
 public:
  /// `append` adds to the existing file: the file is not replaced, and a failed write is undone.
  enum class Mode { replace, append };
  explicit FileWriter(const std::filesystem::path& path, Mode mode = Mode::replace);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) noexcept;
  ~FileWriter() { abandon(); }

  /// Adds bytes; small pieces are collected in memory first.
  void write(std::string_view bytes);
  /// Writes the collected bytes.
  void flush();
  /// Finishes the file, renames it and syncs both to the disk. The writer is then closed.
  void commit();
  /// Commits several files that belong together: if one of them cannot be renamed, the others get their old contents
  /// back.
  static void commit_all(std::initializer_list<FileWriter*> files);
  /// Opens a pipe. Throws FileError if no process reads it within a few seconds.
  void open_pipe();
  /// Drops what was written and the temporary file; does nothing after commit(). Flushed bytes of an appended file
  /// stay.
  void abandon() noexcept;
  /// Returns true if the writer is neither committed nor abandoned.
  bool is_open() const { return fd_ >= 0; }

  /// Renames a file written by other means to `path`, with the same guarantees. On failure `finished` is kept.
  static void publish(const std::filesystem::path& finished, const std::filesystem::path& path);

 private:
  [[noreturn]] void fail(const char* what, int why);
  void put(std::string_view bytes);
  void finish();  // syncs and closes the file
  std::string path_;
  std::filesystem::path target_, temporary_;  // temporary_ is empty when the file itself is written
  std::string buffer_;
  int fd_ = -1;
};

}  // namespace chainer
