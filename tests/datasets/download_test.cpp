// SPDX-License-Identifier: MIT
// Downloads over HTTP from a server in this process: interrupted, continued, changed and refused.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "captured_stderr.h"
#include "chainer/core/system/file.h"
#include "chainer/datasets/download.h"
#include "chainer/datasets/md5.h"
#include "folder.h"
#include "test.h"

using namespace chainer;
namespace fs = std::filesystem;

namespace {

// Serves one file at every address, one request per connection.
class Server {
 public:
  std::string content;
  bool ranges = true;                         // answers requests for the rest of the file
  std::size_t cut_after = std::string::npos;  // closes the connection after so many bytes of an answer
  bool missing = false;                       // answers 404

  Server() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listens_ = listener_ >= 0 && ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
               ::listen(listener_, 8) == 0 &&
               ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    url_ = text("http://127.0.0.1:", ntohs(address.sin_port), "/file");
    if (listens_) thread_ = std::thread([this] { serve(); });
  }
  Server(const Server&) = delete;
  ~Server() {
    if (listener_ >= 0) ::shutdown(listener_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    if (listener_ >= 0) ::close(listener_);
  }
  bool listens() const { return listens_; }
  const std::string& url() const { return url_; }
  /// Returns what was requested, in order: the first byte of a range, or -1 for the whole file.
  std::vector<int64_t> asked() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(asked_, {});
  }

 private:
  void serve() {
    for (int fd; (fd = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(fd)) {
      std::string request;
      char buffer[4096];
      for (ssize_t n; request.find("\r\n\r\n") == request.npos && (n = ::read(fd, buffer, sizeof buffer)) > 0;)
        request.append(buffer, static_cast<std::size_t>(n));
      answer(fd, request);
    }
  }
  void answer(int fd, const std::string& request) {
    const std::size_t range = request.find("Range: bytes=");
    const int64_t first = range == request.npos ? -1 : std::atoll(request.c_str() + range + 13);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      asked_.push_back(first);
    }
    const auto from = ranges && first > 0 ? static_cast<std::size_t>(first) : 0;
    if (missing) return send(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    if (from >= content.size() && from > 0)
      return send(fd, "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    const std::string place =
        from ? text("Content-Range: bytes ", from, "-", content.size() - 1, "/", content.size(), "\r\n") : "";
    send(fd, text("HTTP/1.1 ", from ? "206 Partial Content" : "200 OK", "\r\nContent-Length: ", content.size() - from,
                  "\r\n", place, "Connection: close\r\n\r\n"));
    send(fd, content.substr(from, cut_after));
  }
  static void send(int fd, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return;
      at += static_cast<std::size_t>(n);
    }
  }

  int listener_;
  bool listens_ = false;
  std::string url_;
  std::mutex mutex_;
  std::vector<int64_t> asked_;
  std::thread thread_;
};

// A dataset root for this test, a server, and standard error in a file.
struct Place {
  test::Folder folder;
  Server server;
  test::CapturedStderr captured{folder.path / "messages"};
  Place() {
    dataset::set_dataset_root(folder.path / "root");
    ::setenv("no_proxy", "127.0.0.1", 1);
    for (int64_t i = 0; i < 300000; ++i) server.content += static_cast<char>(i * i % 251);
  }
  ~Place() { dataset::set_dataset_root(""); }
  /// Returns true if there is a server and a library to download with.
  bool usable() {
    std::string why = server.listens() ? "" : "this process may not listen on a port";
    try {
      if (why.empty()) dataset::fetch(server.url(), folder.path / "probe", false);
    } catch (const FileError& e) { why = e.what(); }
    (void)server.asked();
    if (!why.empty()) std::printf("  left out: %s\n", why.c_str());
    return why.empty();
  }
  dataset::KnownFile known() const { return {server.url(), "", dataset::md5(server.content)}; }
  fs::path downloads() const { return folder.path / "root" / "_dl_cache"; }
  fs::path whole() const { return downloads() / dataset::md5(server.url()); }
  fs::path part() const { return whole().string() + ".part"; }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& e : fs::directory_iterator(downloads()))
      if (e.path().filename() != ".lock") out.push_back(e.path().filename().string());
    return out;
  }
};

using Asked = std::vector<int64_t>;

}  // namespace

TEST(a_download_shows_its_progress) {
  Place p;
  if (!p.usable()) return;
  EXPECT(read_file(dataset::known_download(p.known())) == p.server.content);
  const std::string messages = p.captured.text();
  EXPECT(messages.find("Downloading from " + p.server.url()) != messages.npos);
  EXPECT(messages.find("100 % of 0.3 MB") != messages.npos);
  // The file is in the cache, so no request is sent.
  (void)p.server.asked();
  EXPECT(dataset::known_download(p.known()) == p.whole());
  EXPECT(p.server.asked().empty());
}

TEST(a_cut_download_goes_on_where_it_stopped) {
  Place p;
  if (!p.usable()) return;
  p.server.cut_after = 100000;
  EXPECT_THROW(FileError, "cannot download " + p.server.url(), dataset::known_download(p.known()));
  EXPECT(!fs::exists(p.whole()));
  EXPECT_EQ(fs::file_size(p.part()), std::uintmax_t(100000));
  EXPECT_THROW(FileError, "cannot download", dataset::known_download(p.known()));
  EXPECT(!fs::exists(p.whole()));
  p.server.cut_after = std::string::npos;
  EXPECT(read_file(dataset::known_download(p.known())) == p.server.content);
  EXPECT(p.server.asked() == (Asked{-1, 100000, 200000}));
  EXPECT(p.files() == std::vector<std::string>{p.whole().filename().string()});
}

TEST(a_server_without_ranges_is_asked_for_everything) {
  Place p;
  if (!p.usable()) return;
  p.server.cut_after = 100000;
  EXPECT_THROW(FileError, "cannot download", dataset::known_download(p.known()));
  p.server.cut_after = std::string::npos;
  p.server.ranges = false;
  EXPECT(read_file(dataset::known_download(p.known())) == p.server.content);
  EXPECT(p.server.asked() == (Asked{-1, 100000, -1}));
  // As after a process was killed between the last byte and the renaming: no byte is left to request.
  dataset::forget_download(p.server.url());
  write_file(p.part(), p.server.content);
  p.server.ranges = true;
  EXPECT(read_file(dataset::known_download(p.known())) == p.server.content);
  EXPECT(p.server.asked() == (Asked{300000, -1}));
}

TEST(a_checksum_decides_whether_a_download_is_kept) {
  Place p;
  if (!p.usable()) return;
  // Continued from another version: downloaded again from the start.
  fs::create_directories(p.downloads());
  write_file(p.part(), std::string(100000, 'x'));
  EXPECT(read_file(dataset::known_download(p.known())) == p.server.content);
  EXPECT(p.server.asked() == (Asked{100000, -1}));
  // The wrong file twice: an error, and no file is left.
  dataset::forget_download(p.server.url());
  const dataset::KnownFile expected = p.known();
  p.server.content[7] ^= 1;
  EXPECT_THROW(FileError, text("is ", dataset::md5(p.server.content), ", not ", expected.md5),
               dataset::known_download(expected));
  EXPECT(p.server.asked() == (Asked{-1, -1}));
  EXPECT(p.files().empty());
}

TEST(a_download_that_is_too_large_is_refused) {
  Place p;
  if (!p.usable()) return;
  dataset::KnownFile known = p.known();
  known.largest = 299999;
  EXPECT_THROW(FileError, "more than the allowed 299999 bytes", dataset::known_download(known));
  EXPECT_THROW(FileError, "more than the allowed 1000 bytes", dataset::cached_download(p.server.url(), "", 1000));
  EXPECT(p.files().empty());
  // The limit holds for files of a mirror, too.
  write_file(p.folder.path / "local", p.server.content);
  const std::string local = "file://" + (p.folder.path / "local").string();
  EXPECT_THROW(FileError, "it has more than 1000 bytes", dataset::cached_download(local, "", 1000));
  EXPECT(p.files().empty());
  known.largest = 300000;
  EXPECT(read_file(dataset::known_download(known)) == p.server.content);
}

TEST(a_link_in_the_place_of_a_download_is_not_followed) {
  Place p;
  if (!p.usable()) return;
  write_file(p.folder.path / "precious", "kept");
  fs::create_directories(p.downloads());
  fs::create_symlink(p.folder.path / "precious", p.part());  // the name that the next call continues
  EXPECT_THROW(FileError, "cannot write " + p.part().string(), dataset::known_download(p.known()));
  EXPECT_EQ(read_file(p.folder.path / "precious"), "kept");
  fs::remove(p.part());
  fs::remove(p.downloads() / ".lock");
  fs::create_symlink(p.folder.path / "elsewhere", p.downloads() / ".lock");
  EXPECT_THROW(FileError, "cannot lock", dataset::known_download(p.known()));
  EXPECT(!fs::exists(p.folder.path / "elsewhere"));
}

TEST(no_half_file_stays_of_a_download_that_fails) {
  Place p;
  if (!p.usable()) return;
  p.server.cut_after = 1000;
  EXPECT_THROW(FileError, "cannot download " + p.server.url(), dataset::cached_download(p.server.url()));
  EXPECT(p.files().empty());
  p.server.missing = true;
  EXPECT_THROW(FileError, "404", dataset::cached_download(p.server.url()));
  EXPECT(p.files().empty());
  EXPECT_THROW(FileError, "404", dataset::known_download(p.known()));
  EXPECT(p.files().empty());
}
