// SPDX-License-Identifier: MIT
// An HTTP server. One of two sources is built: with GNU libmicrohttpd, or without.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "chainer/viewing/live/event_stream.h"

namespace chainer::live {

struct HttpRequest {
  std::string method, path, body, remote;
  std::map<std::string, std::string> headers;  ///< names in lower case; values of a repeated name joined by ", "
  std::map<std::string, std::string> parameters;
};
struct HttpResponse {
  int status = 200;
  std::string type = "application/json", body = {};
  std::map<std::string, std::string> headers = {};
  EventStream* events = nullptr;  ///< if set, the answer is the body followed by this stream
};

/// Serves during its lifetime, on four threads. The resources of clients are limited:
///
/// | resource | limit |
/// |---|---|
/// | a request's first line and headers together | 32 KiB |
/// | a request's body, which needs a Content-Length | 64 KiB |
/// | time until a request is complete | 10 s |
/// | time for reading an answer | 30 s and one more for each 64 KiB |
/// | bytes of all unread answers | 256 MiB; then answers of more than 64 KiB become status 503 |
/// | connections | 600, and half of the open files of the process |
/// | readers of event streams | four fifths of the connections |
///
/// If nine tenths of the connections are in use, a new connection closes the oldest one whose request is incomplete or,
/// if all requests are complete, whose answer is unread. A connection carries one request. `Range` is not supported.
class HttpServer {
 public:
  /// Answers a request. Called by several threads at a time; must not throw.
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  /// Listens on an address of `host`; port 0 selects a free port. Throws RuntimeError if the address is not available,
  /// and in a build without a server.
  HttpServer(const std::string& host, int port, Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Closes all connections. Event streams must have ended.
  ~HttpServer();
  int port() const;
  static bool available();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> its_;
};

}  // namespace chainer::live
