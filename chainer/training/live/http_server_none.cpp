// A build without cpp-httplib.
#include "chainer/core/error.h"
#include "chainer/training/live/http_server.h"

namespace chainer::live {

struct HttpServer::Implementation {};
HttpServer::HttpServer(const std::string&, int, Handler) {
  throw RuntimeError("this build has no HTTP server: cpp-httplib was not found (Debian: libcpp-httplib-dev)");
}
HttpServer::~HttpServer() = default;
int HttpServer::port() const { return 0; }
bool HttpServer::available() { return false; }

}  // namespace chainer::live
