// SPDX-License-Identifier: MIT
// Downloads through libcurl.
#include <curl/curl.h>

#include <cstdio>
#include <memory>

#include "chainer/core/error.h"
#include "chainer/core/system/growing_file.h"
#include "chainer/core/system/terminal.h"
#include "chainer/datasets/download.h"

namespace chainer::dataset {
namespace {

// Prints the progress of a download: in one updated line on a terminal, else a line for every tenth.
struct Progress {
  curl_off_t begin = 0;
  int shown = -1;
  bool terminal = is_terminal(stderr);

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

// The file that a download is written to.
struct Target {
  GrowingFile file;
  int64_t largest;
  bool too_large = false;

  static std::size_t take(char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<Target*>(self)->add({data, size * count});
  }
  std::size_t add(std::string_view bytes) {
    too_large = static_cast<int64_t>(bytes.size()) > largest - file.size();
    return !too_large && file.add(bytes) ? bytes.size() : 0;
  }
  [[noreturn]] void refuse() const { throw FileError("it has more than the allowed ", largest, " bytes"); }
};

}  // namespace

void fetch(const std::string& url, const std::filesystem::path& to, bool resume, int64_t largest) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(ready == CURLE_OK ? curl_easy_init() : nullptr, curl_easy_cleanup);
  if (!curl) throw FileError("cannot download ", url, ": libcurl could not start");
  Target target{{to, resume}, largest};
  GrowingFile& file = target.file;
  Progress progress;
  progress.begin = file.size();
  char error[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &target);
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
  // The server cannot continue, or nothing is left to send: start again.
  if (progress.begin > 0 && (status == CURLE_RANGE_ERROR || answer == 416)) {
    file.clear();
    progress.begin = 0;
    curl_easy_setopt(curl.get(), CURLOPT_RESUME_FROM_LARGE, progress.begin);
    status = curl_easy_perform(curl.get());
  }
  if (target.too_large || status == CURLE_FILESIZE_EXCEEDED) target.refuse();
  file.check();
  if (status != CURLE_OK) throw FileError("cannot download ", url, ": ", *error ? error : curl_easy_strerror(status));
  file.close();
}

}  // namespace chainer::dataset
