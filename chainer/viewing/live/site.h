// SPDX-License-Identifier: MIT
// The page of results: the answers to requests, and access to them.
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

#include "chainer/viewing/live/event_stream.h"
#include "chainer/viewing/live/http_server.h"
#include "chainer/viewing/live/results.h"

namespace chainer::live {

/// Options of Site.
struct SiteOptions {
  std::string host = "127.0.0.1";
  int port = 0;                         ///< 0 selects a free port
  std::vector<std::string> names = {};  ///< further host names that browsers may request, as with a proxy
};

/// Serves a folder of results during its lifetime. Every client that can connect may read. Commands need the token.
/// Requests must have the Host and Origin of this page, which excludes other pages of a browser and DNS rebinding. The
/// constructor throws ValueError for a port outside of 0 ... 65535, and as HttpServer does.
class Site {
 public:
  Site(const std::filesystem::path& folder, const SiteOptions& options);
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  ~Site();
  /// Sends the state of the run in the folder itself to all readers: "paused", "finished", "stopped", "failed", or ""
  /// for the state derived from its files.
  void tell_state(const std::string& state);
  /// Returns the answer to a request. Does not throw.
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
  EventStream news_;
  bool ending_ = false;
  int port_ = 0;
  std::thread watcher_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace chainer::live
