// SPDX-License-Identifier: MIT
// The server of the live page: hostile and slow clients, bounds, and the bytes of answers.
#include <chainer/viewing/live/connections.h>

#include <fcntl.h>

#include "live_pages.h"
#include "test.h"

using namespace live_pages;

TEST(a_port_has_one_page_and_hundreds_of_readers) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("crowded");
  const live::Site site(folder, {});
  const int port = port_of(site.address());
  EXPECT_THROW(RuntimeError, "the address is in use", live::Site(folder, {.port = port}));
  // All connect at once; each receives the stream immediately.
  std::vector<int> sockets;
  const sockaddr_in to = local_address(port);
  const std::string ask = text("GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:", port, "\r\n\r\n");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 300; ++i) {
    const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    sockets.push_back(s);
  }
  int served = 0;
  for (const int s : sockets) {
    const timeval limit{20, 0};
    ::fcntl(s, F_SETFL, 0);
    ::setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    char buffer[256];
    if (::send(s, ask.data(), ask.size(), MSG_NOSIGNAL) > 0 && ::recv(s, buffer, sizeof buffer, 0) > 0) ++served;
  }
  EXPECT_EQ(served, 300);
  EXPECT(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  for (const int s : sockets) ::close(s);
}

TEST(a_reader_who_takes_nothing_is_disconnected) {
  live::EventStream news;
  int slept = 0, woken = 0;
  const auto sleep = [&] { ++slept; };
  const auto wake = [&] { ++woken; };
  char to[8];
  auto reader = news.join("", sleep, wake), idle = news.join("hello", sleep, wake);
  EXPECT_EQ(news.readers(), 2u);
  EXPECT_EQ(reader->take(to, sizeof to), 0);
  news.send("one");
  news.send("two");
  EXPECT(slept == 1 && woken == 1);  // only the sleeping reader is woken, and only once
  EXPECT_EQ(reader->take(to, 4), 4);
  EXPECT_EQ(std::string(to, 4), "onet");
  EXPECT_EQ(reader->take(to, sizeof to), 2);
  news.send(std::string(std::size_t(1) << 20, 'x'));  // more unread text than is kept for the idle reader
  EXPECT_EQ(idle->take(to, sizeof to), -1);
  EXPECT_EQ(reader->take(to, sizeof to), 8);
  idle.reset();
  EXPECT_EQ(news.readers(), 1u);
  news.end();
  const auto late = news.join("late", sleep, wake);
  EXPECT_EQ(late->take(to, sizeof to), 4);  // sent text is received before the end
  EXPECT_EQ(late->take(to, sizeof to), -1);
}

// On all interfaces the page answers to each address of the machine, but not to names of other hosts.
TEST(a_page_on_all_interfaces_answers_to_addresses) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const live::Site site(results("interfaces"), {.host = "0.0.0.0", .names = {"runs.example.org", "other.example.org"}});
  const int port = port_of(site.address());
  const auto asked = [&](const std::string& host) {
    return exchange(port_of(site.address()), text("GET / HTTP/1.1\r\nHost: ", host, "\r\nConnection: close\r\n\r\n"));
  };
  for (const std::string& host : {text("10.1.2.3:", port), text("[fe80::1]:", port), text("localhost:", port),
                                  std::string("runs.example.org"), std::string("other.example.org")})
    EXPECT(has_status(asked(host), 200));
  for (const std::string& host : {text("evil.example:", port), std::string("10.1.2.3"), text("10.1.2.3.evil:", port),
                                  std::string("10.1.2.3:1"), text(":", port)})
    EXPECT(has_status(asked(host), 403));
}

// Range and other headers must not change the answer.
TEST(answers_are_the_page_and_nothing_else) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const live::Site site(results("exact"), {});
  const std::string at = site.address();
  for (const char* path : {"/", "/page.js", "/page.css", "/api/runs"}) {
    const std::string page = body_of(get(at, path));
    EXPECT(page.find(site.token()) == page.npos);
    for (const char* range : {"0-9", "0-5000000", "-5", "-100000000", "5-2", "0-0,2-3", "0-5000000,0-5000000",
                              "1000000000000-", "99999999999999999999-", "9223372036854775806-9223372036854775807"})
      for (const char* host : {"", "Host: evil.example\r\n"}) {
        const std::string answer = get(at, path, text("Range: bytes=", range, "\r\n", host));
        EXPECT(answer.find(site.token()) == answer.npos);
        EXPECT(answer.size() < page.size() + 1000);
        if (has_status(answer, 200) && std::string_view(path) != "/api/runs") EXPECT(body_of(answer) == page);
      }
    const std::string head =
        exchange(port_of(at), text("HEAD ", path, " HTTP/1.1\r\nHost: localhost:", port_of(at), "\r\n\r\n"));
    EXPECT(has_status(head, 200) && body_of(head).empty());
  }
}

TEST(requests_beyond_the_bounds_are_refused) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const live::Site site(results("bounded"), {});
  const std::string at = site.address(), host = at.substr(7, at.size() - 8);
  const std::string a(40000, 'a');
  EXPECT(!has_status(get(at, "/" + a), 200));
  EXPECT(!has_status(get(at, "/api/log?run=" + a), 200));
  EXPECT(!has_status(get(at, "/", "X: " + a + "\r\n"), 200));
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += text("Y", i, ": 1\r\n", "Range: bytes=", i, "-\r\n");
  EXPECT(!has_status(get(at, "/", lines), 200));
  for (const std::size_t size : {std::size_t(65536), std::size_t(65537), std::size_t(1) << 40}) {
    const std::string answer =
        exchange(port_of(at), text("POST /api/command HTTP/1.1\r\nHost: ", host, "\r\nContent-Length: ", size,
                                   "\r\n\r\n", std::string(std::min<std::size_t>(size, 70000), ' ')));
    EXPECT(has_status(answer, size == 65536 ? 403 : 413) || (answer.empty() && size != 65536));
  }
  EXPECT(has_status(exchange(port_of(at), text("POST /api/command HTTP/1.1\r\nHost: ", host,
                                               "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")),
                    411));
  EXPECT(has_status(get(at, "/"), 200));
}

// Clients that send nothing, or a byte now and then, block neither other clients nor the end of the server.
TEST(slow_clients_block_no_others) {
  if (!live::HttpServer::available()) return EXPECT(true);
  std::vector<int> sockets;
  std::chrono::steady_clock::time_point ended;
  {
    const live::Site site(results("slow"), {});
    const int port = port_of(site.address());
    const sockaddr_in to = local_address(port);
    for (int i = 0; i < 650; ++i) {
      const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      if (s < 0) break;
      (void)::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to);
      (void)!::send(s, "GET / HT", 8, MSG_NOSIGNAL);
      sockets.push_back(s);
    }
    EXPECT(has_status(get(site.address(), "/"), 200) || has_status(get(site.address(), "/"), 200));
    ended = std::chrono::steady_clock::now();
  }
  EXPECT(std::chrono::steady_clock::now() - ended < std::chrono::seconds(5));
  for (const int s : sockets) ::close(s);
}

// A client that sends a request and reads no answer; -1 if it is not accepted.
int silent_client(int port, const std::string& ask) {
  const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), little = 2048;
  const timeval limit{5, 0};
  ::setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(s, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
  const sockaddr_in to = local_address(port);
  if (::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
      ::send(s, ask.data(), ask.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(ask.size()))
    return s;
  ::close(s);
  return -1;
}

TEST(answers_that_are_not_read_are_bounded) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("untaken");
  write_file(folder + "/one/large.png", "");
  fs::resize_file(folder + "/one/large.png", uint64_t(60) << 20);
  const live::Site site(folder, {});
  const int port = port_of(site.address());
  const std::string ask =
      text("GET /api/picture?run=one&name=large.png HTTP/1.1\r\nHost: localhost:", port, "\r\n\r\n");
  std::vector<int> sockets;
  const auto status = [&] {
    char line[12]{};
    sockets.push_back(silent_client(port, ask));
    return ::recv(sockets.back(), line, sizeof line, MSG_WAITALL) == sizeof line ? std::string(line + 9, 3) : "";
  };
  for (int i = 0; i < 4; ++i) EXPECT_EQ(status(), "200");
  EXPECT_EQ(status(), "503");
  EXPECT(has_status(get(site.address(), "/page.js"), 200));
  for (const int s : sockets) ::close(s);
  sockets.clear();
  std::string again;
  for (int i = 0; i < 500 && again != "200"; ++i) pause_for(0.01), again = status();
  EXPECT_EQ(again, "200");
  for (const int s : sockets) ::close(s);
}

TEST(new_connections_end_the_oldest_that_wait) {
  live::Connections all(20);
  int pairs[20][2];
  const auto is_open = [&](int i) {
    char c = 0;
    return ::recv(pairs[i][1], &c, 1, MSG_DONTWAIT) < 0;  // 0 bytes mean that the connection was closed
  };
  for (auto& p : pairs) EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p), 0);
  for (int i = 0; i < 18; ++i) {
    const auto place = all.add(pairs[i][0]);
    if (i < 2)
      all.stream(place);
    else if (i != 7)
      all.answer(place, 100);
  }
  for (int i = 0; i < 18; ++i) EXPECT(is_open(i));
  (void)all.add(pairs[18][0]);  // closes the connection with an incomplete request
  EXPECT(!is_open(7) && is_open(2));
  all.stream(all.add(pairs[19][0]));  // closes 18, whose request is incomplete
  EXPECT(!is_open(18) && is_open(2));
  all.stream(all.add(-1));  // only answers and streams remain
  EXPECT(is_open(0) && is_open(1) && !is_open(2) && is_open(3));
  for (const auto& p : pairs) ::close(p[0]), ::close(p[1]);
}

TEST(malformed_requests_give_errors_and_nothing_else) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("malformed");
  const live::Site site(folder, {});
  const std::string at = site.address(), host = at.substr(7, at.size() - 8);
  random::RandomState r(5);
  const auto number = [&](int64_t below) { return r.randint(0, below, Shape{}).item<int64_t>(); };
  const std::string body = R"({"run": "one", "name": "stop", "body": null})";
  const std::string whole[] = {
      text("POST /api/command HTTP/1.1\r\nHost: ", host,
           "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
           "\r\nX-Token: 0123456789abcdef0123456789abcdef\r\n\r\n", body),
      text("GET /api/log?run=one&from=0 HTTP/1.1\r\nHost: ", host, "\r\nConnection: close\r\nRange: bytes=0-5\r\n\r\n"),
      text("GET /api/picture?run=one&name=%2e%2e/log HTTP/1.1\r\nHost: ", host, "\r\nConnection: close\r\n\r\n")};
  int64_t errors = 0, closed = 0, fine = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string bytes;
    if (i % 4 == 3) {
      for (int64_t n = number(200); n >= 0; --n) bytes += static_cast<char>(number(256));
      bytes += "\r\n\r\n";
    } else {
      bytes = whole[i % 4];
      for (int64_t n = 1 + number(8); n > 0; --n) {
        const auto place = static_cast<std::size_t>(number(static_cast<int64_t>(bytes.size())));
        const int64_t what = number(4);
        if (what == 0) bytes[place] = static_cast<char>(number(256));
        if (what == 1) bytes.erase(place, static_cast<std::size_t>(number(20)));
        if (what == 2)
          bytes.insert(place, bytes.substr(static_cast<std::size_t>(number(static_cast<int64_t>(bytes.size())))));
        if (what == 3)
          bytes.insert(place, std::string(static_cast<std::size_t>(number(5000)), static_cast<char>(number(256))));
        if (bytes.empty()) bytes = "\r\n";
      }
    }
    const std::string answer = exchange(port_of(at), bytes, false);
    ++(answer.empty() ? closed : answer.starts_with("HTTP/1.1 2") ? fine : errors);
    EXPECT(answer.empty() || answer.starts_with("HTTP/1."));
  }
  EXPECT(errors > 1000);  // the others are closed without an answer
  EXPECT(fine < 2500);    // the remaining part of a request for the log
  EXPECT(!fs::exists(folder + "/one/commands"));
  EXPECT(has_status(get(at, "/api/runs"), 200));
}
