#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "chainer/core/error.h"
#include "chainer/training/live/http_server.h"

namespace chainer::live {
namespace {

constexpr int kConnections = 600;
constexpr int kWaiting = 512;  // connections that nobody has accepted yet

// A thread a connection, most of which sleep while another one sends the news.
class Connections : public httplib::TaskQueue {
 public:
  // Newer versions want to know whether the work was taken.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));
  Taken enqueue(std::function<void()> work) override {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [this] { return alive_ < kConnections; });
    ++alive_;
    try {
      std::thread([this, work = std::move(work)] {
        work();
        const std::lock_guard done(mutex_);
        --alive_;
        free_.notify_all();
      }).detach();
    } catch (const std::exception&) { --alive_; }  // no thread: the connection is lost
    return Taken(true);
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [this] { return alive_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  int alive_ = 0;
};

HttpRequest request_of(const httplib::Request& from) {
  HttpRequest r{from.method, from.path, from.body, from.remote_addr, {}, {}};
  for (const auto& [name, value] : from.headers) {
    std::string small = name;
    for (char& c : small)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    // A name that comes twice has both values, which is neither.
    const auto [it, added] = r.headers.emplace(small, value);
    if (!added) it->second += ", " + value;
  }
  for (const auto& [name, value] : from.params) r.parameters.emplace(name, value);
  return r;
}

}  // namespace

struct HttpServer::Implementation {
  httplib::Server server;
  std::thread thread;
  socket_t socket = INVALID_SOCKET;
  int port = 0;
};

HttpServer::HttpServer(const std::string& host, int port, Handler handler) : its_(std::make_unique<Implementation>()) {
  httplib::Server& s = its_->server;
  s.new_task_queue = [] { return new Connections(); };
  s.set_read_timeout(5);
  s.set_write_timeout(5);
  s.set_keep_alive_timeout(5);
  s.set_payload_max_length(std::size_t(64) << 10);
  s.set_tcp_nodelay(true);
  // The library's own options would let another program listen at the same port.
  s.set_socket_options([this](socket_t socket) {
    its_->socket = socket;
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, reinterpret_cast<const char*>(&yes), sizeof yes);
  });
  const auto answer = [handler = std::move(handler)](const httplib::Request& from, httplib::Response& to) {
    const HttpResponse r = handler(request_of(from));
    to.status = r.status;
    for (const auto& [name, value] : r.headers) to.set_header(name, value);
    if (!r.stream) {
      // Pieces of known length are sent as they are; a text would be packed by brotli, which takes seconds.
      const auto body = std::make_shared<const std::string>(r.body);
      if (body->empty()) return to.set_content("", r.type);
      return to.set_content_provider(body->size(), r.type,
                                     [body](std::size_t from, std::size_t length, httplib::DataSink& sink) {
                                       return sink.write(body->data() + from, length);
                                     });
    }
    to.set_chunked_content_provider(r.type, [stream = r.stream](std::size_t, httplib::DataSink& sink) {
      stream([&sink](std::string_view piece) { return sink.write(piece.data(), piece.size()); });
      return false;
    });
  };
  s.Get(".*", answer).Post(".*", answer);
  s.set_exception_handler([](const httplib::Request&, httplib::Response& to, std::exception_ptr) { to.status = 500; });
  its_->port = port ? (s.bind_to_port(host.c_str(), port) ? port : -1) : s.bind_to_any_port(host.c_str());
  if (its_->port <= 0) throw RuntimeError("cannot listen at ", host, ":", port, ": the address is taken or not here");
  // The library lets five wait: of hundreds of readers who come at once, others would wait for minutes.
  (void)::listen(its_->socket, kWaiting);
  its_->thread = std::thread([&s] { s.listen_after_bind(); });
}

HttpServer::~HttpServer() {
  // The thread may not have come to listening yet, and would not hear of the end.
  while (!its_->server.is_running() && its_->thread.joinable()) std::this_thread::yield();
  its_->server.stop();
  its_->thread.join();
}
int HttpServer::port() const { return its_->port; }
bool HttpServer::available() { return true; }

}  // namespace chainer::live
