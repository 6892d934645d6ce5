// An HTTP server. One of two sources is built: with cpp-httplib, or without.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace chainer::live {

struct HttpRequest {
  std::string method, path, body, remote;
  std::map<std::string, std::string> headers;  ///< names in small letters
  std::map<std::string, std::string> parameters;
};
struct HttpResponse {
  int status = 200;
  std::string type = "application/json", body = {};
  std::map<std::string, std::string> headers = {};
  /// Set: the answer comes piece by piece. This is called with what sends a piece (false where the reader has gone),
  /// and returns when the answer has ended. Other threads may send meanwhile, one at a time.
  std::function<void(const std::function<bool(std::string_view piece)>& send)> stream = {};
};

/// Serves on threads of its own while it lives: one a connection, at most 600. Requests are bounded in length and time.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  /// Port 0 takes one that is free. RuntimeError where the address cannot be had, and in a build without a server.
  HttpServer(const std::string& host, int port, Handler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Waits for the connections: streams must have been told to end.
  ~HttpServer();
  int port() const;
  static bool available();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> its_;
};

}  // namespace chainer::live
