// SPDX-License-Identifier: MIT
// What the live page shows of runs, and control of a run by the page.
#include <chainer/viewing/live/commands.h>
#include <chainer/viewing/plot/figure.h>

#include "chainer/training/mock_updater.h"
#include "chainer/viewing/log_file.h"
#include "chainer/core/system/input_file.h"
#include "chainer/core/utf8.h"
#include "live_pages.h"
#include "test.h"

using namespace live_pages;

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

TEST(runs_whose_names_are_no_utf8) {
  if (!live::HttpServer::available()) return EXPECT(true);
  const std::string folder = results("bytes"), name = folder + "/caf\xe9";
  fs::create_directories(name);
  fs::create_directories(folder + "/a\\xe9");
  write_file(name + "/log", R"([{"epoch": 1}])");
  write_file(name + "/p\xff.png", "a picture");
  write_file(folder + "/a\\xe9/log", R"([{"epoch": 2}])");
  const live::Site site(folder, {});
  const std::string at = site.address(), runs = body_of(get(at, "/api/runs"));
  EXPECT(is_utf8(runs) && runs.find("\"caf\\\\xe9\"") != runs.npos);
  EXPECT(body_of(get(at, "/api/log?run=caf%5Cxe9")).find("[{\"epoch\": 1}]") != std::string::npos);
  EXPECT(body_of(get(at, "/api/log?run=a%5Cxe9")).find("[{\"epoch\": 2}]") != std::string::npos);
  EXPECT(body_of(get(at, "/api/pictures?run=caf%5Cxe9")).find("\"p\\\\xff.png\"") != std::string::npos);
  EXPECT_EQ(body_of(get(at, "/api/picture?run=caf%5Cxe9&name=p%5Cxff.png")), "a picture");
  EXPECT(has_status(get(at, "/api/log?run=a%5Cxe9%5Cx2e%5Cx2e"), 400));
}

TEST(addresses_of_pages) {
  for (const int port : {-1, 65536, 70000})
    EXPECT_THROW(ValueError, text("0 ... 65535, not ", port), live::Site(results("port"), {.port = port}));
  try {
    const live::Site site(results("six"), {.host = "::1"});
    EXPECT(site.address().starts_with("http://[::1]:"));
  } catch (const RuntimeError&) {}  // without IPv6, or without a server
}

TEST(commands_that_could_not_be_read_back) {
  const std::string folder = results("deep") + "/one";
  const auto nested = [](int depth) {
    json::Value v = 1;
    for (int i = 0; i < depth; ++i) v = json::List{v};
    return v;
  };
  EXPECT_THROW(ValueError, "nested too deeply", live::request(folder, "stop", nested(199), {}, "ann"));
  EXPECT_THROW(ValueError, "more than 15728640", live::request(folder, "stop", std::string(16 << 20, 'x'), {}, "ann"));
  live::request(folder, "stop", nested(190), {}, "ann");
  EXPECT_EQ(live::read_commands(folder).size(), 1u);
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

TEST(braces_in_strings_of_a_log_are_no_entries) {
  const std::string file = out("braces.log");
  write_file(file, R"([{"a{b": 1, "elapsed_time": 1}, {"c}": {"d": 2}, "e\"}{": "{\\", "elapsed_time": 3}])");
  InputFile in{file};
  const viewing::NewestEntry newest = viewing::newest_entry(in);
  EXPECT_EQ(newest.seconds_before, 1.0);
  EXPECT_EQ(viewing::seconds_of(newest.entry), 3.0);
  EXPECT_EQ(newest.entry.object()->size(), 3u);
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
