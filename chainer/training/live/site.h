// The page of results: what each request is answered with, and to whom.
#pragma once
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "chainer/training/live/broadcast.h"
#include "chainer/training/live/http_server.h"
#include "chainer/training/live/results.h"

namespace chainer::live {

/// Options of Site.
struct SiteOptions {
  std::string host = "127.0.0.1";
  int port = 0;                         ///< 0 takes one that is free
  std::vector<std::string> names = {};  ///< hosts that a proxy is asked for, beside the address itself
};

/// Serves a folder of results while it lives. Everyone who reaches the address may read; requests to change something
/// need the token, and come from the page itself: Host and Origin are those of the page, which keeps other pages of a
/// browser and rebound names away.
class Site {
 public:
  Site(const std::filesystem::path& folder, const SiteOptions& options);
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  ~Site();
  /// What a request is answered with; never throws.
  HttpResponse answer(const HttpRequest& request);
  std::string address() const;
  const std::string& token() const { return token_; }

 private:
  HttpResponse dispatch(const HttpRequest& request);
  HttpResponse log(const HttpRequest& request);
  HttpResponse picture(const HttpRequest& request) const;
  HttpResponse command(const HttpRequest& request);
  HttpResponse events();
  bool is_own_host(const std::string& host) const;
  void watch();
  Results results_;
  SiteOptions options_;
  std::string token_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Broadcast news_;
  bool ending_ = false;
  int port_ = 0;
  std::thread watcher_;
  std::unique_ptr<HttpServer> server_;
};

/// The page's parts.
extern const std::string_view kPage, kStyle;
extern const std::string_view kScript;

}  // namespace chainer::live
