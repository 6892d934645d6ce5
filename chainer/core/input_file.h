// A file that is read from its start to its end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace chainer {

/// Every error is a FileError that names the file and the reason.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();
  /// How many bytes it has; an error for what cannot tell, as a pipe. Before the first read().
  int64_t size();
  /// The next bytes, `most` of them or fewer; how many came, 0 at the end.
  std::size_t read(void* bytes, std::size_t most);

 private:
  [[noreturn]] void failed(int why) const;
  std::string path_;
  int fd_;
};

}  // namespace chainer
