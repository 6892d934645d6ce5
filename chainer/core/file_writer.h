// The one way in which the library's files come about.
#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace chainer {

/// Writes a file under a temporary name beside it, and gives it its own name when everything has reached the disk: at
/// any time `path` is the old or the new file, whole. The temporary file is opened so that a link that somebody planted
/// under its name is not followed, takes the mode of the file that it replaces, and goes away with a writer that did
/// not commit. A `path` that is a symbolic link is followed, so the link stays and the file that it names is replaced.
/// Pipes and devices are written to directly.
///
/// Every error is a FileError that names `path` and the reason.
class FileWriter {
 public:
  /// `append` goes on behind what is in the file: then nothing is replaced, and a write that fails is taken back.
  enum class Mode { replace, append };
  explicit FileWriter(const std::filesystem::path& path, Mode mode = Mode::replace);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) noexcept;
  ~FileWriter() { abandon(); }

  /// Adds bytes; small pieces are collected in memory first.
  void write(std::string_view bytes);
  /// Writes what was collected.
  void flush();
  /// Ends the file, gives it its name, and has the disk keep both. Afterwards the writer is done.
  void commit();
  /// The same for several files that belong together: where one of them cannot get its name, the others get their old
  /// files back.
  static void commit_all(std::initializer_list<FileWriter*> files);
  /// Drops what was written and the temporary file; nothing after commit(). Appended bytes that were flushed stay.
  void abandon() noexcept;
  /// Whether the writer still writes: neither committed nor abandoned.
  bool is_open() const { return fd_ >= 0; }

  /// Gives a file that something else has written its name `path`, in the same way. On failure `finished` stays.
  static void publish(const std::filesystem::path& finished, const std::filesystem::path& path);

 private:
  [[noreturn]] void fail(const char* what, int why);
  void put(std::string_view bytes);
  void finish();  // everything is on the disk, and closed
  std::string path_;
  std::filesystem::path target_, temporary_;  // no temporary: the file itself is written to
  std::string buffer_;
  int fd_ = -1;
};

}  // namespace chainer
