// Downloads through libcurl.
#include <curl/curl.h>
#include <unistd.h>

#include <cstdio>
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

}  // namespace

void fetch(const std::string& url, const std::filesystem::path& to, bool resume) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(ready == CURLE_OK ? curl_easy_init() : nullptr, curl_easy_cleanup);
  if (!curl) throw FileError("cannot download ", url, ": libcurl could not start");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(to.c_str(), resume ? "ab" : "wb"), std::fclose);
  if (!file) throw FileError("cannot write ", to.string());
  Progress progress;
  if (resume && std::fseek(file.get(), 0, SEEK_END) == 0) progress.begin = std::ftell(file.get());
  char error[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, file.get());
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
    if (std::fflush(file.get()) != 0 || ::ftruncate(::fileno(file.get()), 0) != 0)
      throw FileError("cannot write ", to.string());
    progress.begin = 0;
    curl_easy_setopt(curl.get(), CURLOPT_RESUME_FROM_LARGE, progress.begin);
    status = curl_easy_perform(curl.get());
  }
  if (status != CURLE_OK) throw FileError("cannot download ", url, ": ", *error ? error : curl_easy_strerror(status));
  if (std::fflush(file.get()) != 0) throw FileError("cannot write ", to.string());
}

}  // namespace chainer::dataset
