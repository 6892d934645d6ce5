// SPDX-License-Identifier: MIT
#include <microhttpd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "chainer/core/error.h"
#include "chainer/core/system/sockets.h"
#include "chainer/viewing/live/connections.h"
#include "chainer/viewing/live/http_server.h"

namespace chainer::live {
namespace {

constexpr std::size_t kLargestHead = std::size_t(32) << 10, kLargestBody = std::size_t(64) << 10;
constexpr std::size_t kPiece = std::size_t(64) << 10, kLargestAnswers = std::size_t(256) << 20;
constexpr unsigned kThreads = 4, kIdle = 30;  // kIdle: timeout in seconds, also for readers of event streams

std::size_t most_connections() { return std::clamp<std::size_t>(most_open_files() / 2, 40, 600); }

struct State {
  HttpServer::Handler handler;
  std::size_t most;
  Connections connections;
  std::atomic<std::size_t> held = 0;  // bytes of all response bodies in memory
  State(HttpServer::Handler h, std::size_t m) : handler(std::move(h)), most(m), connections(m) {}
};

Connections::Place& place_of(MHD_Connection* c) {
  const MHD_ConnectionInfo* info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return *static_cast<Connections::Place*>(info->socket_context);
}

void on_connection(void* self, MHD_Connection* c, void** context, MHD_ConnectionNotificationCode code) {
  Connections& all = static_cast<State*>(self)->connections;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const int socket = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    *context = new Connections::Place(all.add(socket));
  } else {
    const std::unique_ptr<Connections::Place> place(static_cast<Connections::Place*>(*context));
    all.remove(*place);
  }
}

void on_completed(void*, MHD_Connection*, void** request, MHD_RequestTerminationCode) {
  delete static_cast<HttpRequest*>(std::exchange(*request, nullptr));
}

std::string text_of(const char* bytes, std::size_t size) { return bytes ? std::string(bytes, size) : std::string(); }

MHD_Result add_header(void* to, MHD_ValueKind, const char* name, std::size_t size, const char* value,
                      std::size_t value_size) {
  std::string small = text_of(name, size);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  auto& headers = static_cast<HttpRequest*>(to)->headers;
  const auto [it, added] = headers.emplace(small, text_of(value, value_size));
  if (!added) it->second += ", " + text_of(value, value_size);
  return MHD_YES;
}

MHD_Result add_parameter(void* to, MHD_ValueKind, const char* name, std::size_t size, const char* value,
                         std::size_t value_size) {
  static_cast<HttpRequest*>(to)->parameters.emplace(text_of(name, size), text_of(value, value_size));
  return MHD_YES;
}

// The body of a response, which libmicrohttpd reads piece by piece.
struct Body {
  std::string bytes;
  std::atomic<std::size_t>& held;
  Body(std::string b, std::atomic<std::size_t>& h) : bytes(std::move(b)), held(h) { held += bytes.size(); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() { held -= bytes.size(); }
  static ssize_t take(void* self, uint64_t from, char* to, std::size_t most) {
    const std::string& bytes = static_cast<Body*>(self)->bytes;
    if (from >= bytes.size()) return MHD_CONTENT_READER_END_OF_STREAM;
    return static_cast<ssize_t>(bytes.copy(to, most, static_cast<std::size_t>(from)));
  }
  static void free(void* self) { delete static_cast<Body*>(self); }
};

struct Events {
  static ssize_t take(void* self, uint64_t, char* to, std::size_t most) {
    const auto n = static_cast<EventStream::Reader*>(self)->take(to, most);
    return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : static_cast<ssize_t>(n);
  }
  static void free(void* self) { delete static_cast<EventStream::Reader*>(self); }
};

MHD_Result send(State& its, MHD_Connection* c, HttpResponse r) {
  if (r.events && r.events->readers() >= its.most / 5 * 4) {
    r = HttpResponse{.status = 503, .body = "{\"error\": \"too many clients follow this page\"}"};
  } else if (r.body.size() > kPiece && its.held + r.body.size() > kLargestAnswers) {
    r = HttpResponse{.status = 503, .body = "{\"error\": \"too many large responses are being sent\"}"};
  }
  MHD_Response* out = nullptr;
  if (r.events) {
    its.connections.stream(place_of(c));
    auto reader = r.events->join(
        r.body, [c] { MHD_suspend_connection(c); }, [c] { MHD_resume_connection(c); });
    out = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, Events::take, reader.get(), Events::free);
    if (out) (void)reader.release();
  } else {
    its.connections.answer(place_of(c), r.body.size());
    const std::size_t size = r.body.size();
    auto body = std::make_unique<Body>(std::move(r.body), its.held);
    out = MHD_create_response_from_callback(size, std::clamp<std::size_t>(size, 1, kPiece), Body::take, body.get(),
                                            Body::free);
    if (out) (void)body.release();
  }
  if (!out) return MHD_NO;
  MHD_add_response_header(out, "Content-Type", r.type.c_str());
  MHD_add_response_header(out, "Connection", "close");
  for (const auto& [name, value] : r.headers) MHD_add_response_header(out, name.c_str(), value.c_str());
  const MHD_Result done = MHD_queue_response(c, static_cast<unsigned>(r.status), out);
  MHD_destroy_response(out);  // releases this reference; libmicrohttpd keeps the response until it is sent
  return done;
}

// Called once for the head of a request, for each piece of its body, and for its end.
MHD_Result on_request(void* self, MHD_Connection* c, const char* path, const char* method, const char*,
                      const char* piece, std::size_t* piece_size, void** kept) {
  State& its = *static_cast<State*>(self);
  const auto refuse = [&](int status, const char* why) {
    return send(its, c, {.status = status, .body = std::string("{\"error\": \"") + why + "\"}"});
  };
  try {
    if (!*kept) {
      auto request = std::make_unique<HttpRequest>(
          HttpRequest{method,
                      path,
                      {},
                      host_number(MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr),
                      {},
                      {}});
      MHD_get_connection_values_n(c, MHD_HEADER_KIND, add_header, request.get());
      MHD_get_connection_values_n(c, MHD_GET_ARGUMENT_KIND, add_parameter, request.get());
      const auto& headers = request->headers;
      if (headers.contains("transfer-encoding")) return refuse(411, "the header Content-Length is required");
      if (const auto length = headers.find("content-length"); length != headers.end())
        if (length->second.size() > 9 || length->second.find_first_not_of("0123456789") != std::string::npos ||
            std::stoul("0" + length->second) > kLargestBody)
          return refuse(413, "the body of the request is too large");
      *kept = request.release();
      return MHD_YES;
    }
    HttpRequest& request = *static_cast<HttpRequest*>(*kept);
    if (const std::size_t n = std::exchange(*piece_size, 0)) {
      if (request.body.size() + n > kLargestBody) return MHD_NO;
      request.body.append(piece, n);
      return MHD_YES;
    }
    return send(its, c, its.handler(request));
  } catch (const std::exception&) { return MHD_NO; }  // out of memory: closes the connection
}

}  // namespace

struct HttpServer::Implementation {
  ListeningSocket socket;
  State state;
  MHD_Daemon* daemon = nullptr;
};

HttpServer::HttpServer(const std::string& host, int port, Handler handler)
    : its_(new Implementation{{host, port}, {std::move(handler), most_connections()}}) {
  // poll() reports a client that closes its connection in the middle of a request; epoll, as libmicrohttpd uses it,
  // does not.
  const unsigned flags =
      MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | (its_->socket.is_ipv6 ? MHD_USE_IPv6 : 0);
  State* state = &its_->state;
  its_->daemon =
      MHD_start_daemon(flags, 0, nullptr, nullptr, on_request, state, MHD_OPTION_LISTEN_SOCKET, its_->socket.descriptor,
                       MHD_OPTION_THREAD_POOL_SIZE, kThreads, MHD_OPTION_CONNECTION_LIMIT,
                       static_cast<unsigned>(state->most), MHD_OPTION_CONNECTION_MEMORY_LIMIT, kLargestHead,
                       MHD_OPTION_CONNECTION_TIMEOUT, kIdle, MHD_OPTION_NOTIFY_CONNECTION, on_connection, state,
                       MHD_OPTION_NOTIFY_COMPLETED, on_completed, state, MHD_OPTION_END);
  if (its_->daemon) return;
  close_socket(its_->socket.descriptor);
  throw RuntimeError("cannot listen at ", host, ":", port, ": the threads of the server could not be started");
}

HttpServer::~HttpServer() { MHD_stop_daemon(its_->daemon); }  // also closes the socket
int HttpServer::port() const { return its_->socket.port; }
bool HttpServer::available() { return true; }

}  // namespace chainer::live
