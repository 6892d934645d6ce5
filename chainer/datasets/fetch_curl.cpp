// Downloads through libcurl.
#include <curl/curl.h>

#include <cstdio>
#include <memory>

#include "chainer/core/error.h"
#include "chainer/datasets/download.h"

namespace chainer::dataset {

void fetch(const std::string& url, const std::filesystem::path& to) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(ready == CURLE_OK ? curl_easy_init() : nullptr, curl_easy_cleanup);
  if (!curl) throw FileError("cannot download ", url, ": libcurl could not start");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(to.c_str(), "wb"), std::fclose);
  if (!file) throw FileError("cannot write ", to.string());
  char error[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, file.get());
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, 10L);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, 100L);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, 30L);
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, error);
  const CURLcode status = curl_easy_perform(curl.get());
  if (status != CURLE_OK) throw FileError("cannot download ", url, ": ", *error ? error : curl_easy_strerror(status));
  if (std::fflush(file.get()) != 0) throw FileError("cannot write ", to.string());
}

}  // namespace chainer::dataset
