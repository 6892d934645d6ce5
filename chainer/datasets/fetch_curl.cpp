// Downloads through libcurl.
#include <curl/curl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "chainer/core/error.h"
#include "chainer/datasets/download.h"

namespace chainer::dataset {
namespace {

// Shows how far a download is: on a terminal in one line, elsewhere a line every tenth.
struct Progress {
  curl_off_t begin = 0;
  int shown = -1;
  bool terminal = ::isatty(2) != 0;

  static int call(void* self, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
    static_cast<Progress*>(self)->show(total, now);
    return 0;
  }
  void show(curl_off_t total, curl_off_t now) {
    if (total <= 0) return;
    const int percent = static_cast<int>((begin + now) * 100 / (begin + total));
    if (percent == shown || (!terminal && percent / 10 == shown / 10 && shown >= 0)) return;
    shown = percent;
    std::fprintf(stderr, terminal ? "\r  %3d %% of %.1f MB" : "  %3d %% of %.1f MB\n", percent,
                 static_cast<double>(begin + total) / 1e6);
    if (terminal && percent == 100) std::fputc('\n', stderr);
  }
};

// The file that a download goes to. No link is followed there: a name that goes on in the next call can be guessed.
class Target {
 public:
  Target(const std::filesystem::path& path, bool resume, int64_t largest) : path_(path.string()), largest_(largest) {
    const int begin = resume ? O_APPEND : O_TRUNC;
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | begin, 0666);
    struct ::stat info {};
    if (fd_ < 0 || ::fstat(fd_, &info) != 0) failed(errno);
    size_ = info.st_size;
  }
  Target(const Target&) = delete;
  ~Target() {
    if (fd_ >= 0) ::close(fd_);
  }
  int64_t size() const { return size_; }
  void clear() {
    if (::ftruncate(fd_, 0) != 0) failed(errno);
    size_ = 0;
  }
  void close() {
    if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) failed(errno);
  }
  /// Why no more was taken, if so.
  void check() const {
    if (too_large_) throw FileError("it has more than the ", largest_, " bytes that were allowed");
    if (why_) failed(why_);
  }
  static std::size_t take(char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<Target*>(self)->add({data, size * count});
  }

 private:
  [[noreturn]] void failed(int why) const { throw FileError("cannot write ", path_, ": ", std::strerror(why)); }
  std::size_t add(std::string_view bytes) {
    too_large_ = static_cast<int64_t>(bytes.size()) > largest_ - size_;
    if (too_large_) return 0;
    for (std::string_view left = bytes; !left.empty();) {
      const ssize_t n = ::write(fd_, left.data(), left.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        why_ = n < 0 ? errno : ENOSPC;
        return 0;
      }
      left.remove_prefix(static_cast<std::size_t>(n));
      size_ += n;
    }
    return bytes.size();
  }
  std::string path_;
  int fd_ = -1, why_ = 0;
  bool too_large_ = false;
  int64_t size_ = 0, largest_;
};

}  // namespace

void fetch(const std::string& url, const std::filesystem::path& to, bool resume, int64_t largest) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(ready == CURLE_OK ? curl_easy_init() : nullptr, curl_easy_cleanup);
  if (!curl) throw FileError("cannot download ", url, ": libcurl could not start");
  Target file(to, resume, largest);
  Progress progress;
  progress.begin = file.size();
  char error[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &file);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &Target::take);
  curl_easy_setopt(curl.get(), CURLOPT_MAXFILESIZE_LARGE, curl_off_t{largest});
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, 100L);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, 30L);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, error);
  curl_easy_setopt(curl.get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFODATA, &progress);
  curl_easy_setopt(curl.get(), CURLOPT_XFERINFOFUNCTION, &Progress::call);
  curl_easy_setopt(curl.get(), CURLOPT_RESUME_FROM_LARGE, progress.begin);
  CURLcode status = curl_easy_perform(curl.get());
  long answer = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer);
  // A server that cannot continue, or has nothing left to give: from the start.
  if (progress.begin > 0 && (status == CURLE_RANGE_ERROR || answer == 416)) {
    file.clear();
    progress.begin = 0;
    curl_easy_setopt(curl.get(), CURLOPT_RESUME_FROM_LARGE, progress.begin);
    status = curl_easy_perform(curl.get());
  }
  file.check();
  if (status == CURLE_FILESIZE_EXCEEDED) throw FileError("it has more than the ", largest, " bytes that were allowed");
  if (status != CURLE_OK) throw FileError("cannot download ", url, ": ", *error ? error : curl_easy_strerror(status));
  file.close();
}

}  // namespace chainer::dataset
