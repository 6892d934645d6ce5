// SPDX-License-Identifier: MIT
// Controlling a run while it trains: the file of commands, the page by HTTP, permissions, and damage of all kinds.
#include <chainer/core/system/file.h>
#include <chainer/core/system/file_lock.h>
#include <chainer/viewing/live/commands.h>
#include <chainer/viewing/live/connections.h>
#include <chainer/viewing/live/site.h>
#include <chainer/viewing/plot/figure.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "chainer/training/mock_updater.h"
#include "small_run.h"
#include "test.h"

namespace live_pages {

void pause_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Sends bytes to a port of this machine; reads until the other side closes the connection, or for a second.
std::string exchange(int port, const std::string& bytes, bool whole = true) {
  const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{1, 0};
  ::setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  if (::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::send(s, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    if (!whole) ::shutdown(s, SHUT_WR);  // tells the server that the request is complete
    char buffer[4096];
    for (ssize_t n; (n = ::recv(s, buffer, sizeof buffer, 0)) > 0;) out.append(buffer, static_cast<std::size_t>(n));
  }
  ::close(s);
  return out;
}
int port_of(const std::string& address) { return std::stoi(address.substr(address.rfind(':') + 1)); }
std::string get(const std::string& address, const std::string& path, const std::string& headers = "") {
  const std::string host = address.substr(7, address.size() - 8);
  return exchange(port_of(address),
                  "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers + "\r\n");
}
std::string post(const std::string& address, const std::string& body, const std::string& headers) {
  const std::string host = address.substr(7, address.size() - 8);
  return exchange(port_of(address), text("POST /api/command HTTP/1.1\r\nHost: ", host,
                                         "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ",
                                         body.size(), "\r\n", headers, "\r\n", body));
}
bool has_status(const std::string& answer, int status) { return answer.starts_with(text("HTTP/1.1 ", status, " ")); }
std::string body_of(const std::string& answer) {
  return answer.substr(std::min(answer.size(), answer.find("\r\n\r\n") + 4));
}

// A folder with one finished run.
std::string results(const std::string& name) {
  const std::string folder = out(name);
  fs::create_directories(folder + "/one");
  write_file(folder + "/one/log",
             "[\n {\"main/loss\": 2.0, \"epoch\": 1, \"iteration\": 10},\n {\"main/loss\": NaN, \"epoch\": 2, "
             "\"iteration\": 20}\n]");
  write_file(folder + "/one/args", "{\"lr\": 0.1}");
  return folder;
}

// A run in which f requests commands at iterations.
struct CommandedRun {
  chainer::testing::MockUpdater updater{10};
  Trainer trainer;
  std::map<int64_t, double> rates;
  explicit CommandedRun(const std::string& name, int64_t iterations, std::function<void(int64_t)> f = {})
      : trainer(updater, {iterations, "iteration"}, {.out = out(name)}) {
    trainer.extend(
        [this, f](Trainer& t) {
          rates[t.updater().iteration()] = updater.optimizer.get("lr");
          if (!f) return;
          f(t.updater().iteration());
          pause_for(0.03);
        },
        ExtendOptions{.priority = PRIORITY_WRITER});
    trainer.extend(extensions::CommandsExtension());
  }
};
json::Value rate(double lr) { return json::Object{{"hyperparam", json::Object{{"lr", lr}}}}; }

}  // namespace live_pages
using namespace live_pages;

TEST(programs_obey_the_file_of_commands) {
  const std::string folder = out("commanded");
  CommandedRun run("commanded", 30, [&](int64_t i) {
    if (i == 2) live::request(folder, "adjust_hyperparams", rate(0.5), {}, "ann");
    if (i == 4)
      live::request(folder, "adjust_hyperparams", json::Object{{"hyperparam", json::Object{{"momentum", 1.0}}}}, {},
                    "bob");
    if (i == 4)
      live::request(folder, "adjust_hyperparams", rate(0.25), json::Object{{"key", "iteration"}, {"value", 8}}, "ann");
    if (i == 10) live::request(folder, "take_snapshot", {}, {}, "ann");
    if (i == 12) live::request(folder, "stop", {}, {}, "ann");
  });
  run.trainer.run();
  EXPECT_EQ(run.rates[2], 0.01);
  EXPECT_EQ(run.rates[3], 0.5);
  EXPECT_EQ(run.rates[8], 0.5);
  EXPECT_EQ(run.rates[9], 0.25);
  EXPECT_EQ(run.updater.iteration(), 12);
  EXPECT(fs::exists(folder + "/snapshot_iter_10") && fs::exists(folder + "/snapshot_iter_12"));
  const json::List all = live::read_commands(folder);
  EXPECT_EQ(all.size(), 5u);
  const auto status = [&](std::size_t i) { return *all[i].find("response")->find("status")->string(); };
  EXPECT(status(0) == "SUCCESS" && status(1) == "FAILUE" && status(2) == "SUCCESS" && status(4) == "SUCCESS");
  EXPECT_EQ(all[2].find("response")->find("iteration")->number(), 8);
  EXPECT_EQ(json::dump(*all[0].find("response")->find("body")->find("before")), "{\"lr\": 0.01}");
  EXPECT(*all[0].find("request")->find("by")->string() == "ann");
  EXPECT(json::dump(all[1]).find("momentum") != std::string::npos);

  // It resumes at iteration 10 with the rate 0.25, regardless of the rate set by the program.
  CommandedRun again("commanded", 14);
  serializers::load_npz(folder + "/snapshot_iter_10", again.trainer);
  again.trainer.run();
  EXPECT_EQ(again.rates[11], 0.25);
}

TEST(resumed_runs_repeat_changes) {
  const std::string folder = out("repeated");
  {
    CommandedRun run("repeated", 20, [&](int64_t i) {
      if (i == 5) live::request(folder, "take_snapshot", {}, {}, "ann");
      if (i == 9) live::request(folder, "adjust_hyperparams", rate(0.5), {}, "ann");
    });
    run.trainer.run();
    EXPECT_EQ(run.rates[10], 0.5);
  }
  CommandedRun again("repeated", 20);
  serializers::load_npz(folder + "/snapshot_iter_5", again.trainer);
  again.trainer.run();
  EXPECT_EQ(again.rates[9], 0.01);
  EXPECT_EQ(again.rates[10], 0.5);
  // A new run removes the requests of an old one.
  CommandedRun anew("repeated", 12);
  anew.trainer.run();
  EXPECT_EQ(anew.rates[12], 0.01);
}

// Two changes, the first requested of which is scheduled last. The run is stopped after both, resumed, stopped again
// between them, and resumed from there.
TEST(cut_runs_repeat_changes_that_waited) {
  const auto ask = [](const std::string& folder, double lr, int64_t at) {
    live::request(folder, "adjust_hyperparams", rate(lr), json::Object{{"key", "iteration"}, {"value", at}}, "ann");
  };
  const auto asked = [&](const std::string& folder) {
    return [&ask, folder](int64_t i) {
      if (i == 1) ask(folder, 0.001, 20), ask(folder, 0.05, 8);
    };
  };
  CommandedRun whole("waited", 30, asked(out("waited")));
  whole.trainer.run();
  EXPECT_EQ(whole.rates[9], 0.05);
  EXPECT_EQ(whole.rates[21], 0.001);
  const std::string folder = out("waited_cut");
  const auto cut = [&](int64_t from, int64_t to, std::function<void(int64_t)> f) {
    CommandedRun run("waited_cut", to, std::move(f));
    run.trainer.extend(extensions::snapshot(), {.trigger = {1, "iteration"}});
    if (from) serializers::load_npz(text(folder, "/snapshot_iter_", from), run.trainer);
    run.trainer.run();
    for (int64_t i = from + 1; i <= to; ++i) EXPECT_EQ(run.rates[i], whole.rates[i]);
  };
  cut(0, 22, asked(folder));
  cut(12, 15, {});
  cut(15, 30, {});
  cut(8, 10, {});
  cut(10, 30, {});
}

TEST(requests_whose_time_has_passed_are_answered) {
  const std::string folder = out("passed");
  CommandedRun run("passed", 8, [&](int64_t i) {
    if (i == 4)
      live::request(folder, "adjust_hyperparams", rate(0.5), json::Object{{"key", "iteration"}, {"value", 2}}, "ann");
  });
  run.trainer.run();
  EXPECT_EQ(run.rates[8], 0.01);
  const json::Value answered = live::read_commands(folder).at(0);
  EXPECT(json::dump(answered).find("is invalid or in the past") != std::string::npos);
}

TEST(a_lock_of_another_process_does_not_hold_the_run) {
  const std::string folder = out("locked");
  std::optional<FileLock> held;
  const auto begin = std::chrono::steady_clock::now();
  CommandedRun run("locked", 12, [&](int64_t i) {
    if (i == 2) {
      live::request(folder, "adjust_hyperparams", rate(0.5), {}, "ann");
      held.emplace(folder + "/commands.lock", "the test's file");
    }
    if (i == 6) held.reset();
  });
  run.trainer.run();
  EXPECT(std::chrono::steady_clock::now() - begin < std::chrono::seconds(8));
  EXPECT_EQ(run.rates[4], 0.5);
  EXPECT_EQ(json::dump(*live::read_commands(folder).at(0).find("response")->find("status")), "\"SUCCESS\"");
  FileLock other(folder + "/commands.lock", "the test's file");
  EXPECT_THROW(FileError, "another process holds", FileLock(folder + "/commands.lock", "it", 0.1));
}

TEST(paused_runs_go_on) {
  const std::string folder = out("paused");
  std::thread waker;
  const auto begin = std::chrono::steady_clock::now();
  CommandedRun run("paused", 6, [&](int64_t i) {
    if (i != 2) return;
    live::request(folder, "pause", {}, {}, "ann");
    waker = std::thread([&] {
      pause_for(0.5);
      live::request(folder, "adjust_hyperparams", rate(0.5), {}, "ann");
      live::request(folder, "resume", {}, {}, "ann");
    });
  });
  run.trainer.run();
  waker.join();
  EXPECT(std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(500));
  EXPECT_EQ(run.updater.iteration(), 6);
  EXPECT_EQ(run.rates[3], 0.5);
}

TEST(names_of_askers_give_a_terminal_no_orders) {
  CommandedRun run("escapes", 8, [&](int64_t i) {
    for (const char* name : {"adjust_hyperparams", "pause", "resume"})
      if (i == 2) live::request(out("escapes"), name, rate(0.5), {}, "ann\x1b[2J\xc2\x9b\niteration 9: done");
    if (i == 2) live::request(out("escapes"), "adjust_hyperparams", {}, {}, "ann\x1b[2J");
  });
  const std::string file = out("escapes.txt");
  const int kept = ::dup(2), to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ::dup2(to, 2);
  run.trainer.run();
  ::dup2(kept, 2);
  ::close(kept), ::close(to);
  const std::string told = read_file(file);
  EXPECT(told.find("ann\\x1b[2J\\xc2\\x9b iteration 9") != told.npos && told.find("a command from ann") != told.npos);
  EXPECT(told.find('\x1b') == told.npos && told.find("\xc2\x9b") == told.npos);
}

TEST(commands_are_no_links) {
  const std::string folder = out("linked_commands");
  fs::create_directories(folder);
  write_file(out("elsewhere"), "[{\"secret\": 1}]");
  fs::create_symlink(out("elsewhere"), folder + "/commands");
  EXPECT_THROW(FileError, "contains a symbolic link", live::request(folder, "stop", {}, {}, "ann"));
  EXPECT(fs::is_symlink(folder + "/commands"));
}

TEST(damaged_commands_are_told) {
  fs::create_directories(out("damaged"));
  write_file(out("damaged") + "/commands", "[1, 2]");
  EXPECT_THROW(ValueError, "is not a list of commands", live::read_commands(out("damaged")));
  EXPECT_THROW(ValueError, "no command named 'explode'", live::request(out("damaged"), "explode", {}, {}, ""));
  EXPECT_THROW(ValueError, "a schedule must be",
               live::request(out("damaged"), "stop", {}, json::Object{{"key", "hour"}}, ""));
  CommandedRun run("damaged", 10, [&](int64_t i) {
    if (i == 2) write_file(out("damaged") + "/commands", "[{\"name\": \"stop\", \"requ");
  });
  run.trainer.run();  // warns
  EXPECT_EQ(run.updater.iteration(), 10);
}

TEST(sites_show_results) {
  if (!live::HttpServer::available()) {
    EXPECT_THROW(RuntimeError, "no HTTP server", live::Site(results("none"), {}));
    return;
  }
  const std::string folder = results("site");
  const live::Site site(folder, {});
  const std::string at = site.address();
  EXPECT(has_status(get(at, "/"), 200) && get(at, "/").find("<!doctype html>") != std::string::npos);
  EXPECT(get(at, "/").find("Content-Security-Policy: default-src 'self'") != std::string::npos);
  EXPECT(has_status(get(at, "/page.js"), 200) && has_status(get(at, "/page.css"), 200));
  const json::Value runs = json::parse(body_of(get(at, "/api/runs")));
  EXPECT_EQ(runs.list()->size(), 1u);
  EXPECT_EQ(*(*runs.list())[0].find("state")->string(), "running");
  EXPECT_EQ(json::dump(*(*runs.list())[0].find("args")), "{\"lr\": 0.1}");
  EXPECT_EQ(json::dump(*(*runs.list())[0].find("before")), "null");  // the log has no elapsed times
  EXPECT_EQ(body_of(get(at, "/api/log?run=one&from=1")),
            "{\"from\": 1, \"total\": 2, \"entries\": [{\"main/loss\": null, \"epoch\": 2, \"iteration\": 20}]}");
  EXPECT(has_status(get(at, "/nothing"), 404) && has_status(get(at, "/api/command"), 405));
  // Requests with other host names and origins are rejected.
  EXPECT(has_status(exchange(port_of(at), "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"), 403));
  EXPECT(has_status(get(at, "/api/runs", "Origin: http://evil.example\r\n"), 403));
  EXPECT(has_status(get(at, "/api/runs", "Origin: null\r\n"), 403));
  EXPECT(has_status(get(at, "/api/runs", "Origin: " + at.substr(0, at.size() - 1) + "\r\n"), 200));
  // Commands without the token are rejected.
  const std::string ask = R"({"run": "one", "name": "stop", "body": null})";
  EXPECT(has_status(post(at, ask, ""), 403) && has_status(post(at, ask, "X-Token: 123\r\n"), 403));
  EXPECT(!fs::exists(folder + "/one/commands"));
  const std::string token = "X-Token: " + site.token() + "\r\n";
  EXPECT(has_status(post(at, ask, token + "Origin: http://evil.example\r\n"), 403));
  EXPECT(has_status(post(at, R"({"run": "..", "name": "stop"})", token), 400));
  EXPECT(has_status(post(at, R"({"run": "one", "name": "explode"})", token), 400));
  EXPECT(!fs::exists(folder + "/one/commands"));
  EXPECT(has_status(post(at, ask, token), 200));
  EXPECT_EQ(live::read_commands(folder + "/one").size(), 1u);
}

TEST(a_port_has_one_page_and_hundreds_of_readers) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("crowded");
  const live::Site site(folder, {});
  const int port = port_of(site.address());
  EXPECT_THROW(RuntimeError, "the address is in use", live::Site(folder, {.port = port}));
  // All connect at once; each receives the stream immediately.
  std::vector<int> sockets;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
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

TEST(no_path_leaves_the_folder) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("inside");
  write_file(out("secret.png"), "secret");
  fs::create_directories(folder + "/linked");
  fs::create_symlink(out("secret.png"), folder + "/one/link.png");
  fs::create_symlink(out("secret.png"), folder + "/linked/log");
  fs::create_directory_symlink(folder + "/..", folder + "/up");
  fs::create_directories(folder + "/half");
  write_file(folder + "/half/log", "[{\"main/loss\": 1.0}, {\"main/lo");
  write_file(folder + "/one/picture.png", "a picture");
  const live::Site site(folder, {});
  const std::string at = site.address();
  EXPECT(body_of(get(at, "/api/picture?run=one&name=picture.png")) == "a picture");
  for (const char* name : {"one/../../secret.png", "../secret.png", "link.png", "%2e%2e/%2e%2e/secret.png",
                           "/etc/passwd", "", ".", "picture.png%00.png", "log"})
    EXPECT(!has_status(get(at, text("/api/picture?run=one&name=", name)), 200));
  for (const char* run : {"..", "up", "up/one", "one/..", "/", "%2e%2e", "one/./../..", "%00", "linked"})
    EXPECT(!has_status(get(at, text("/api/log?run=", run)), 200));
  for (const char* path : {"/../secret.png", "/%2e%2e/secret.png", "//etc/passwd", "/..%2fsecret.png"})
    EXPECT(!has_status(get(at, path), 200));
  const std::string runs = body_of(get(at, "/api/runs"));
  EXPECT(runs.find("\"path\": \"half\", \"state\": \"half-written\"") != runs.npos);
  EXPECT(runs.find("\"path\": \"linked\", \"state\": \"a link\"") != runs.npos);
  EXPECT(runs.find("\"up\"") == runs.npos && runs.find("secret") == runs.npos);
  EXPECT(get(at, "/api/log?run=half").find("half-written") != std::string::npos);
}

TEST(news_say_when_pictures_are_other_ones) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("drawn");
  std::vector<std::string> stamps;
  live::Site site(folder, {});
  live::HttpRequest ask;
  ask.method = "GET", ask.path = "/api/events";
  ask.headers["host"] = text("localhost:", port_of(site.address()));
  const live::HttpResponse answer = site.answer(ask);
  EXPECT(answer.body.starts_with("retry"));
  std::atomic<int> woken = 0;
  const auto reader = answer.events->join(
      answer.body, [] {}, [&] { ++woken; });
  std::string news(1 << 16, '\0');
  EXPECT_EQ(reader->take(news.data(), news.size()), static_cast<std::ptrdiff_t>(answer.body.size()));
  pause_for(0.7);  // the server has polled once
  for (const char* drawn : {"first", "second"}) {
    EXPECT_EQ(reader->take(news.data(), news.size()), 0);
    const int before = woken;
    write_file(folder + "/one/loss.png", drawn);
    for (int i = 0; i < 2000 && woken == before; ++i) pause_for(0.01);
    const std::ptrdiff_t size = reader->take(news.data(), news.size());
    const std::string told(news.data(), static_cast<std::size_t>(size));
    EXPECT(told.starts_with("data: {") && told.ends_with("}\n\n"));
    const json::Value run = json::parse(std::string_view(told).substr(6));
    stamps.push_back(json::dump(*run.find("pictures")));
    EXPECT(run.find("commands") != nullptr);
  }
  EXPECT(stamps[0] != stamps[1]);
}

TEST(what_is_no_entry_is_left_out_of_a_log) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("mixed");
  write_file(folder + "/one/log", "[{\"a\": 1}, 7, null, [2], {\"a\": 3}]");
  const live::Site site(folder, {});
  const json::Value got = json::parse(body_of(get(site.address(), "/api/log?run=one")));
  EXPECT_EQ(json::dump(*got.find("entries")), json::dump(json::parse("[{\"a\": 1}, {\"a\": 3}]")));
}

TEST(a_reader_who_takes_nothing_is_let_go) {
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

TEST(logs_are_read_in_parts_as_they_grow) {
  fs::create_directories(out("parts"));
  const std::string file = out("parts") + "/log";
  live::LogIndex index(out("parts"), "log");
  std::string log = "[";
  const auto write = [&](int from, int to) {
    for (int i = from; i < to; ++i)
      log += text(i ? ",\n {" : "\n {", "\"text\": \"]}[{\\\"\", \"at\": ", i, ", \"in\": {\"a\": [", i, "]}}");
    write_file(file, log + "\n]");
    fs::last_write_time(file, fs::file_time_type::clock::now() + std::chrono::seconds(to));
  };
  write(0, 20000);
  std::size_t seen = 0;
  for (;;) {
    const live::LogPart part = index.read(seen, 100000);
    EXPECT(part.from == seen && part.total == 20000 && part.entries.size() < 4000);
    for (const std::string& entry : part.entries)
      EXPECT_EQ(json::parse(entry).find("at")->number(), static_cast<double>(seen++));
    if (part.entries.empty()) break;
  }
  EXPECT_EQ(seen, 20000u);
  write(20000, 20002);
  EXPECT_EQ(index.read(20001, 1).entries.size(), 1u);
  EXPECT_EQ(index.read(20002, 1).entries.size(), 0u);
  EXPECT_EQ(index.read(0, 1).entries.size(), 1u);
  log = "[";
  write(0, 2);  // another run
  EXPECT(index.read(20002, 1).from == 0 && index.read(1, 1).total == 2);
  write_file(file, log);  // not closed
  EXPECT_THROW(ValueError, "half-written", index.read(0, 1));
  write_file(file, "{\"at\": 1}");
  EXPECT_THROW(ValueError, "not a list", index.read(0, 1));
  write_file(file, "[{\"at\": 1, }]");
  EXPECT_THROW(ValueError, "entry 0 is not valid JSON", index.read(0, 1));
  write(2, 4);
  EXPECT_EQ(index.read(0, 1000).entries.size(), 4u);
  fs::remove(file);
  EXPECT_THROW(FileError, "cannot read", index.read(0, 1));
}

TEST(entries_of_any_length_are_the_newest_of_their_log) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("long");
  write_file(folder + "/one/log", "[{\"epoch\": 1},\n{\"epoch\": 2, \"note\": \"" + std::string(200000, 'x') + "\"}]");
  const live::Site site(folder, {});
  const json::Value runs = json::parse(body_of(get(site.address(), "/api/runs")));
  EXPECT_EQ((*runs.list())[0].find("last")->find("epoch")->number(), 2);
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
TEST(slow_clients_hold_nobody_up) {
  if (!live::HttpServer::available()) return EXPECT(true);
  std::vector<int> sockets;
  std::chrono::steady_clock::time_point ended;
  {
    const live::Site site(results("slow"), {});
    const int port = port_of(site.address());
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
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
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
      ::send(s, ask.data(), ask.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(ask.size()))
    return s;
  ::close(s);
  return -1;
}

TEST(answers_that_nobody_takes_are_bounded) {
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

TEST(pages_steer_the_run_that_serves_them) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = out("served");
  chainer::testing::MockUpdater updater(10);
  Trainer trainer(updater, {10000, "iteration"}, {.out = folder});
  trainer.extend(extensions::LogReport({.trigger = {5, "iteration"}}));
  const auto page = std::make_shared<extensions::LivePage>(extensions::LivePageOptions{.args = {{"lr", "0.01"}}});
  EXPECT_THROW(RuntimeError, "while the trainer does not run", page->address());
  trainer.extend(page);
  std::string events, told;
  std::thread reader, asker;
  trainer.extend([&](Trainer& t) {
    pause_for(0.005);
    if (t.updater().iteration() != 5) return;
    const std::string at = page->address(), token = "X-Token: " + page->token() + "\r\n";
    reader = std::thread([&events, at] { events = get(at, "/api/events"); });
    asker = std::thread([&told, at, token] {
      told =
          post(at, R"({"run": ".", "by": "ann", "name": "adjust_hyperparams", "body": {"hyperparam": {"lr": 0.125}}})",
               token);
      pause_for(0.7);
      told += post(at, R"({"run": "", "name": "stop"})", token);
    });
  });
  trainer.run();
  asker.join();
  reader.join();
  EXPECT(told.find("HTTP/1.1 200") != told.rfind("HTTP/1.1 200"));
  EXPECT(events.find("text/event-stream") != events.npos && events.find("\"main/loss\"") != events.npos);
  EXPECT_EQ(updater.optimizer.get("lr"), 0.125);
  EXPECT(updater.iteration() < 10000 && fs::exists(text(folder, "/snapshot_iter_", updater.iteration())));
  EXPECT(read_file(folder + "/commands").find("ann (127.0.0.1)") != std::string::npos);
  EXPECT(read_file(folder + "/hyperparams").find("0.125") != std::string::npos);
  EXPECT(read_file(folder + "/args").find("\"lr\": \"0.01\"") != std::string::npos);
  EXPECT(events.find("\"state\": \"stopped\"") != events.npos);  // the last event
}

// A run that comes later takes the color of another one, which sorts after it and gets the next color.
TEST(pages_are_told_of_new_colors) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("recolored");
  std::string name = "a0";
  while (plot::run_color(name) != plot::run_color("one")) name = text("a", std::stoi(name.substr(1)) + 1);
  std::string events;
  std::thread reader;
  {
    const live::Site site(folder, {});
    reader = std::thread([&events, at = site.address()] { events = get(at, "/api/events"); });
    pause_for(0.3);
    fs::create_directories(text(folder, "/", name));
    fs::copy_file(folder + "/one/log", text(folder, "/", name, "/log"));
    for (int i = 0; i < 100 && json::parse(body_of(get(site.address(), "/api/runs"))).list()->size() < 2; ++i)
      pause_for(0.05);
    pause_for(1.2);
  }
  reader.join();
  EXPECT(events.find(text("\"path\": \"", name)) != events.npos && events.find("\"path\": \"one\"") != events.npos);
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
