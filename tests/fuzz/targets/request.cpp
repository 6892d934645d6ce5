// SPDX-License-Identifier: MIT
// Requests to the page of results, directly and through the parser of the server.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "../targets.h"
#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/json.h"
#include "chainer/core/utf8.h"
#include "chainer/viewing/live/http_server.h"
#include "chainer/viewing/live/site.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace fuzz {
namespace {

// No answer may contain this text, which is in a file outside of the served folder.
constexpr std::string_view kHidden = "what lies outside";
constexpr std::size_t kLongest = 100000;  // the most bytes that are read of an answer

// The request and the response of the port's handler; empty if the server rejected the request itself.
struct Given {
  int requests = 0;
  std::string method;
  live::HttpResponse answer;
};

// A folder with a run, a run with a half-written log, and a link to the outside, which is served until the program
// ends.
class Served {
 public:
  Served() : root_(fs::temp_directory_path() / text("chainer-fuzz-request-", ::getpid())) {
    fs::create_directories(root_ / "results" / "one" / "below");
    fs::create_directories(root_ / "results" / "half");
    write_file(root_ / "hidden.png", std::string(kHidden));
    fs::create_symlink("../../hidden.png", root_ / "results" / "one" / "link.png");
    write_file(root_ / "results" / "one" / "log", "[{\"main/loss\": 2.0, \"iteration\": 1}, {\"main/loss\": NaN}]");
    write_file(root_ / "results" / "one" / "below" / "plot.png", "a picture");
    write_file(root_ / "results" / "half" / "log", "[{\"main/loss\": 1.0}, {\"main/lo");
    if (!live::HttpServer::available()) return;
    port.emplace("127.0.0.1", 0, [this](const live::HttpRequest& q) {
      live::HttpResponse r = site->answer(q);
      if (r.events) r.events = &events_;  // destroyed before the port
      const std::lock_guard lock(mutex_);
      ++given_.requests, given_.method = q.method, given_.answer = r;
      return r;
    });
    host = text("127.0.0.1:", port->port());
    site.emplace(root_ / "results", live::SiteOptions{.names = {host}});
  }
  ~Served() {
    events_.end();
    while (events_.readers() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    port.reset();
    site.reset();
    std::error_code error;
    fs::remove_all(root_, error);
  }
  void forget_commands() const {
    std::error_code error;
    fs::remove(root_ / "results" / "one" / "commands", error);
    fs::remove(root_ / "results" / "half" / "commands", error);
    fs::remove(root_ / "results" / "commands", error);
  }
  Given taken() {
    const std::lock_guard lock(mutex_);
    return std::exchange(given_, {});
  }
  std::optional<live::HttpServer> port;
  std::optional<live::Site> site;
  std::string host;

 private:
  fs::path root_;
  live::EventStream events_;
  std::mutex mutex_;
  Given given_;
};

std::string taken_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string line(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// Parses "METHOD path?name=value&...", lines "name: value" up to an empty one, and the body. TOKEN and HOST are
// replaced by those of the site.
live::HttpRequest request_of(std::string_view bytes, const Served& served) {
  live::HttpRequest q;
  q.remote = "127.0.0.1";
  q.headers["host"] = served.host;
  const std::string first = taken_line(bytes);
  const std::size_t blank = std::min(first.find(' '), first.size()), mark = std::min(first.find('?'), first.size());
  q.method = first.substr(0, blank);
  if (mark > blank) q.path = first.substr(blank + 1, mark - blank - 1);
  for (std::size_t at = mark; at < first.size();) {
    const std::size_t next = std::min(first.find('&', at + 1), first.size());
    const std::string pair = first.substr(at + 1, next - at - 1);
    const std::size_t equal = std::min(pair.find('='), pair.size());
    q.parameters[pair.substr(0, equal)] = equal < pair.size() ? pair.substr(equal + 1) : "";
    at = next;
  }
  while (!bytes.empty()) {
    const std::string line = taken_line(bytes);
    if (line.empty()) break;
    const std::size_t colon = std::min(line.find(": "), line.size());
    std::string v = colon < line.size() ? line.substr(colon + 2) : "";
    if (v == "TOKEN") v = served.site->token();
    q.headers[line.substr(0, colon)] = v;
  }
  q.body = bytes;
  return q;
}

void check(const live::HttpResponse& r) {
  if (r.status != 200 && (r.status < 400 || r.status > 500)) std::abort();
  if (r.body.find(kHidden) != r.body.npos) std::abort();
  if (!r.headers.contains("Content-Security-Policy")) std::abort();
  if (r.type == "application/json" && !r.events) (void)json::parse(r.body);  // must be valid JSON for every request
  if (r.type == "application/json" && !is_utf8(r.body)) std::abort();
}

// Checks that an answer of the port contains no hidden text and is the handler's response: status, headers and body.
// The body is complete if the connection was `closed` properly; a server that closes a connection before it has read
// the whole request resets it.
void check_answer(std::string_view answer, bool closed, const Given& given) {
  if (given.requests > 1) std::abort();
  if (answer.empty()) return;
  if (!answer.starts_with("HTTP/1.") || answer.find(kHidden) != answer.npos) std::abort();
  const std::size_t end = answer.find("\r\n\r\n");
  if (end == answer.npos) return;
  const std::string_view head = answer.substr(0, end + 2), body = answer.substr(end + 4);
  const auto has = [&](const std::string& line) { return head.find(line) != head.npos; };
  if (given.requests == 0) {
    // libmicrohttpd's own error responses may repeat their head.
    const std::size_t at = head.find("Content-Length: ");
    if (at == head.npos || has("X-Frame-Options")) std::abort();
    if (body.size() > std::stoul(std::string(head.substr(at + 16, 12))) + 1000) std::abort();
    return;
  }
  const live::HttpResponse& r = given.answer;
  if (!answer.substr(8).starts_with(text(" ", r.status, " "))) std::abort();
  if (!has("\r\nContent-Type: " + r.type + "\r\n")) std::abort();
  for (const auto& [name, value] : r.headers)
    if (!has("\r\n" + name + ": " + value + "\r\n")) std::abort();
  if (r.events) return;  // events follow in chunks
  if (!has(text("\r\nContent-Length: ", r.body.size(), "\r\n"))) std::abort();
  // For the method "HEAD" followed by zero bytes, the server sends the body.
  if (given.method == "HEAD" && body.empty()) return;
  if (std::string_view(r.body).substr(0, body.size()) != body) std::abort();
  if (closed && body.size() != r.body.size() && answer.size() < kLongest) std::abort();
}

// Sends bytes to the port; returns the answer, and whether the connection was closed properly.
std::pair<std::string, bool> through_port(std::string_view bytes, int port) {
  const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{1, 0};
  ::setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  ssize_t n = -1;
  if (::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    (void)!::send(s, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(s, SHUT_WR);
    char buffer[4096];
    while (out.size() < kLongest && (n = ::recv(s, buffer, sizeof buffer, 0)) > 0)
      out.append(buffer, static_cast<std::size_t>(n));
    // Waits, so that a late handler is not mistaken for that of the next request.
    if (n < 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ::close(s);
  return {out, n == 0};
}

// Replaces HOST by the name of the site.
std::string named(std::string_view bytes, const Served& served) {
  std::string out(bytes);
  for (std::size_t at = 0; (at = out.find("HOST", at)) != out.npos; at += served.host.size())
    out.replace(at, 4, served.host);
  return out;
}

}  // namespace

void request(std::string_view bytes) {
  // A request that contains the hidden text gets it back in an error message.
  if (bytes.empty() || bytes.find(kHidden) != bytes.npos || !live::HttpServer::available()) return;
  static Served served;
  const bool port = bytes[0] == '!';  // through the server; otherwise directly to the handler
  if (port) {
    served.taken();
    const auto [answer, closed] = through_port(named(bytes.substr(1), served), served.port->port());
    if (answer.find(served.site->token()) != answer.npos) std::abort();
    check_answer(answer, closed, served.taken());
  } else {
    check(served.site->answer(request_of(bytes, served)));
  }
  served.forget_commands();
}

}  // namespace fuzz
