// Requests to the page of results, by themselves and through the server's parser.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "../targets.h"
#include "chainer/core/error.h"
#include "chainer/core/file.h"
#include "chainer/core/json.h"
#include "chainer/core/utf8.h"
#include "chainer/training/live/site.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace fuzz {
namespace {

// What no answer may tell: it stands in a file beside the folder that is served.
constexpr std::string_view kHidden = "what lies outside";

// A folder with a run, a run whose log is half-written, and a link that leads out of it; served until the program ends.
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
    site.emplace(root_ / "results", live::SiteOptions{});
    host = site->address().substr(7, site->address().size() - 8);
  }
  ~Served() {
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
  std::optional<live::Site> site;
  std::string host;

 private:
  fs::path root_;
};

std::string taken_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  std::string line(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// "METHOD path?name=value&...", lines "name: value" to an empty one, the body. TOKEN and HOST stand for those of the
// site.
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
  if (r.type == "application/json" && !r.stream) (void)json::parse(r.body);  // whatever was asked, this is JSON
  if (r.type == "application/json" && !is_utf8(r.body)) std::abort();
}

// The bytes as they come to the port, and the answer to them.
std::string through_port(std::string_view bytes, int port) {
  const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{1, 0};
  ::setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  if (::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    (void)!::send(s, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(s, SHUT_WR);
    char buffer[4096];
    for (ssize_t n; out.size() < 100000 && (n = ::recv(s, buffer, sizeof buffer, 0)) > 0;)
      out.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(s);
  return out;
}

}  // namespace

void request(std::string_view bytes) {
  // A request that holds the hidden words gets them back in the text of an error.
  if (bytes.empty() || bytes.find(kHidden) != bytes.npos || !live::HttpServer::available()) return;
  static Served served;
  const bool port = bytes[0] == '!';  // as bytes through the server; otherwise behind its parser
  if (port) {
    const std::string answer = through_port(bytes.substr(1), std::stoi(served.host.substr(served.host.rfind(':') + 1)));
    if (answer.find(kHidden) != answer.npos || (!answer.empty() && !answer.starts_with("HTTP/1."))) std::abort();
  } else {
    check(served.site->answer(request_of(bytes, served)));
  }
  served.forget_commands();
}

}  // namespace fuzz
