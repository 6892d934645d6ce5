// SPDX-License-Identifier: MIT
#include "chainer/viewing/live/site.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include "chainer/core/error.h"
#include "chainer/core/system/file.h"
#include "chainer/core/system/machine.h"
#include "chainer/core/utf8.h"
#include "chainer/viewing/live/commands.h"
#include "chainer/viewing/pages.h"

namespace chainer::live {
namespace {

constexpr uint64_t kLargestPicture = uint64_t(64) << 20;
constexpr std::size_t kLargestPartOfLog = std::size_t(1) << 20;  // the page requests the rest
constexpr auto kLook = std::chrono::milliseconds(500), kPing = std::chrono::milliseconds(10000),
               kFarewell = std::chrono::milliseconds(500);

std::string make_token() {
  std::random_device device;
  std::string out;
  for (int i = 0; i < 32; ++i) out += "0123456789abcdef"[device() % 16];
  return out;
}
// Compares in a time that does not depend on the position of the first difference.
bool same(const std::string& a, const std::string& b) {
  unsigned char differ = a.size() != b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    differ = static_cast<unsigned char>(differ | (a[i] ^ b[i]));
  return differ == 0;
}

HttpResponse json_response(json::Value v) { return {.body = json::dump(v)}; }
HttpResponse refusal(int status, const std::string& why) {
  HttpResponse r =
      json_response(json::Object{{"error", is_utf8(why) ? why : std::string("the message is not valid UTF-8")}});
  r.status = status;
  return r;
}
std::string of(const std::map<std::string, std::string>& all, const char* name) {
  const auto it = all.find(name);
  return it == all.end() ? "" : it->second;
}
std::string text_of(const json::Value& v, const char* name) {
  const json::Value* found = v.find(name);
  return found && found->string() ? *found->string() : "";
}

}  // namespace

Site::Site(const std::filesystem::path& folder, const SiteOptions& options)
    : results_(folder), options_(options), token_(make_token()) {
  if (options.port < 0 || options.port > 65535)
    throw ValueError("live page: the port must be in 0 ... 65535, not ", options.port);
  server_ =
      std::make_unique<HttpServer>(options.host, options.port, [this](const HttpRequest& r) { return answer(r); });
  {
    const std::lock_guard lock(mutex_);
    port_ = server_->port();
  }
  watcher_ = std::thread([this] { watch(); });
}

Site::~Site() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  watcher_.join();
  news_.end();
  // Gives connected readers a moment to receive the last events; does not wait for others.
  const auto begun = std::chrono::steady_clock::now();
  while (news_.readers() > 0 && std::chrono::steady_clock::now() - begun < kFarewell)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  server_.reset();
}

void Site::tell_state(const std::string& state) {
  results_.set_own_state(state);
  for (const json::Value& run : results_.runs())
    if (text_of(run, "path") == ".") news_.send("data: " + json::dump(run) + "\n\n");
}

namespace {
// Returns a host as addresses have it: those of IPv6 in brackets.
std::string in_address(const std::string& host) { return host.find(':') == host.npos ? host : "[" + host + "]"; }
}  // namespace

std::string Site::address() const { return text("http://", in_address(options_.host), ":", server_->port(), "/"); }

// Returns true for a numeric address. Unlike a name, it is safe from DNS rebinding.
static bool is_numeric(const std::string& host) {
  const bool six = host.starts_with("[") && host.ends_with("]");
  return !host.empty() && host.find_first_not_of(six ? "[]:.0123456789abcdefABCDEF" : ".0123456789") == host.npos;
}

bool Site::is_own_host(const std::string& host) const {
  if (std::find(options_.names.begin(), options_.names.end(), host) != options_.names.end()) return true;
  const std::string port = text(":", port_);
  std::string name = host;
  if (host.ends_with(port))
    name.resize(host.size() - port.size());
  else if (port_ != 80)  // browsers omit the default port
    return false;
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]" || name == in_address(options_.host)) return true;
  // When listening on all interfaces: any numeric address, and the machine's name.
  return (options_.host == "0.0.0.0" || options_.host == "::") && (is_numeric(name) || name == machine::host_name());
}

HttpResponse Site::answer(const HttpRequest& request) {
  HttpResponse r;
  try {
    const std::string host = of(request.headers, "host"), origin = of(request.headers, "origin");
    const auto own_origin = [&] { return is_own_host(origin.substr(origin.find("://") + 3)); };
    if (!is_own_host(host))
      r = refusal(403, "this server is not available under that host name");
    else if (!origin.empty() && (origin.find("://") == origin.npos || !own_origin()))
      r = refusal(403, "the request comes from another site");
    else
      r = dispatch(request);
  } catch (const FileError& e) { r = refusal(500, e.what()); } catch (const std::exception& e) {
    r = refusal(400, e.what());
  }
  r.headers.emplace("X-Content-Type-Options", "nosniff");
  r.headers.emplace("Cache-Control", "no-store");
  r.headers.emplace("Referrer-Policy", "no-referrer");
  r.headers.emplace("X-Frame-Options", "DENY");
  r.headers.emplace("Content-Security-Policy",
                    "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'");
  return r;
}

HttpResponse Site::dispatch(const HttpRequest& q) {
  const std::string run = of(q.parameters, "run");
  if (q.path == "/api/command") return q.method == "POST" ? command(q) : refusal(405, "commands must be sent by POST");
  if (q.method != "GET" && q.method != "HEAD") return refusal(405, "only GET and HEAD are allowed here");
  if (q.path == "/") return {.type = "text/html; charset=utf-8", .body = std::string(pages::page_html)};
  if (q.path == "/page.js")
    return {.type = "text/javascript; charset=utf-8", .body = text(pages::plot_js, pages::progress_js, pages::page_js)};
  if (q.path == "/page.css")
    return {.type = "text/css; charset=utf-8", .body = text(pages::colors_css, pages::plot_css, pages::page_css)};
  if (q.path == "/api/runs") return json_response(results_.runs());
  if (q.path == "/api/log") return log(q);
  if (q.path == "/api/pictures") return json_response(results_.pictures(run));
  if (q.path == "/api/picture") return picture(q);
  if (q.path == "/api/commands" || q.path == "/api/hyperparams")
    return json_response(results_.document(run, q.path.substr(5)));
  if (q.path == "/api/events") return q.method == "GET" ? events() : HttpResponse{.type = "text/event-stream"};
  return refusal(404, "no such path");
}

HttpResponse Site::log(const HttpRequest& q) {
  const std::string asked = of(q.parameters, "from");
  if (asked.size() > 9 || asked.find_first_not_of("0123456789") != asked.npos)
    return refusal(400, "'from' must be the number of an entry");
  const LogPart part = results_.log(of(q.parameters, "run"), asked.empty() ? 0 : std::stoul(asked), kLargestPartOfLog);
  HttpResponse r;
  r.body = text("{\"from\": ", part.from, ", \"total\": ", part.total, ", \"entries\": [");
  for (const std::string& entry : part.entries) r.body += (&entry > &part.entries[0] ? ",\n" : "") + entry;
  r.body += "]";
  if (const json::Value curves = results_.curves(of(q.parameters, "run")); curves.object())
    r.body += ", \"curves\": " + json::dump(curves);
  r.body += "}";
  return r;
}

HttpResponse Site::picture(const HttpRequest& q) const {
  const std::string run = of(q.parameters, "run"), name = of(q.parameters, "name");
  const std::string e = std::filesystem::path(name).extension().string();
  HttpResponse r;
  if (e == ".png")
    r.type = "image/png";
  else if (e == ".jpg" || e == ".jpeg")
    r.type = "image/jpeg";
  else if (e == ".svg")
    r.type = "image/svg+xml",
    r.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  else
    return refusal(404, "the name must end in .png, .jpg, .jpeg or .svg");
  r.body = results_.read(run, name, kLargestPicture);
  return r;
}

HttpResponse Site::command(const HttpRequest& q) {
  if (!same(of(q.headers, "x-token"), token_))
    return refusal(403, "commands need the token that the server printed at its start");
  if (!of(q.headers, "content-type").starts_with("application/json"))
    return refusal(415, "the content type of a command must be application/json");
  const json::Value v = json::parse(q.body);
  const std::string run = text_of(v, "run");
  std::string by = text_of(v, "by");
  if (by.size() > 64) by.resize(64);
  std::erase_if(by, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (!is_utf8(by)) by.clear();
  const std::filesystem::path folder = results_.run_folder(run);
  // Commands must not be written through symbolic links to other places.
  for (const char* name : {kCommandsFile, "commands.lock"})
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(folder / name)))
      return refusal(400, text("the file ", name, " of the run is a symbolic link"));
  const json::Value *body = v.find("body"), *schedule = v.find("schedule");
  request(folder, text_of(v, "name"), body ? *body : json::Value(), schedule ? *schedule : json::Value(),
          by.empty() ? q.remote : by + " (" + q.remote + ")");
  changed_.notify_all();
  return json_response(json::Object{{"done", true}});
}

HttpResponse Site::events() { return {.type = "text/event-stream", .body = "retry: 2000\n\n", .events = &news_}; }

// Looks for changes of runs and sends them to all readers.
void Site::watch() {
  std::map<std::string, std::string> before;
  std::map<std::string, int64_t> pictures;
  // A hash of a text with 48 bits, which fits a number in JavaScript.
  const auto number_of = [](const std::string& s) { return static_cast<int64_t>(std::hash<std::string>()(s) >> 16); };
  bool begun = false;
  auto sent = std::chrono::steady_clock::now();
  for (;;) {
    const auto looked = std::chrono::steady_clock::now();
    std::map<std::string, std::string> now;
    std::string news;
    try {
      json::List runs = results_.runs();
      for (json::Value& run : runs) {
        const std::string path = text_of(run, "path");
        json::Object mark;
        for (const char* name : {"state", "size", "last", "progress", "curves", "color"})
          mark.emplace_back(name, *run.find(name));
        // A page asks for what it can steer, and for the list of pictures, where these numbers are other ones. Programs
        // that have ended draw no more, so that hundreds of their folders need no look.
        const int64_t steered = number_of(json::dump(results_.document(path, kCommandsFile)) +
                                          json::dump(results_.document(path, kHyperparametersFile)));
        if (text_of(run, "state") == "running" || !pictures.contains(path))
          pictures[path] = number_of(json::dump(results_.pictures(path)));
        for (const auto& [name, number] : {std::pair("commands", steered), std::pair("pictures", pictures[path])}) {
          mark.emplace_back(name, number);
          run.set(name, number);
        }
        now[path] = json::dump(json::Value(std::move(mark)));
        if (begun && now[path] != before[path]) news += "data: " + json::dump(run) + "\n\n";
      }
      for (const auto& [path, mark] : before)
        if (!now.contains(path)) {
          news += "data: " + json::dump(json::Object{{"path", path}, {"state", "gone"}}) + "\n\n";
          pictures.erase(path);
        }
    } catch (const std::exception&) { now = before; }  // the folder changed while it was read
    begun = true;
    before = std::move(now);
    const auto time = std::chrono::steady_clock::now();
    if (news.empty() && time - sent > kPing) news = ": nothing new\n\n";  // detects readers that have disconnected
    if (!news.empty()) {
      news_.send(news);
      sent = time;
    }
    std::unique_lock lock(mutex_);
    // Looking at thousands of runs takes a while; the pause limits it to about a twentieth of the time.
    const auto pause = std::max<std::chrono::steady_clock::duration>(kLook, 20 * (time - looked));
    if (changed_.wait_for(lock, pause, [this] { return ending_; })) return;
  }
}

}  // namespace chainer::live
