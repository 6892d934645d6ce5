// SPDX-License-Identifier: MIT
// The HTTP server in a build without GNU libmicrohttpd.
#include "chainer/core/error.h"
#include "chainer/viewing/live/http_server.h"

namespace chainer::live {

struct HttpServer::Implementation {};
HttpServer::HttpServer(const std::string&, int, Handler) {
  throw RuntimeError("this build has no HTTP server: libmicrohttpd was not found (Debian: libmicrohttpd-dev)");
}
HttpServer::~HttpServer() = default;
int HttpServer::port() const { return 0; }
bool HttpServer::available() { return false; }

}  // namespace chainer::live
