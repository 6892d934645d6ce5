// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>
#include <thread>

#include "chainer/viewing/live/site.h"
#include "command.h"

namespace tool {
namespace {

int run(const Arguments& a) {
  const double port = a.number("port", 8080);
  if (!(port >= 0 && port <= 65535) || port != static_cast<double>(static_cast<int>(port)))
    throw UsageError("--port takes a whole number from 0 to 65535");
  chainer::live::SiteOptions options{.host = a.text("host", "127.0.0.1"), .port = static_cast<int>(port)};
  options.names = a.all("name");
  const chainer::live::Site site(a.positional[0], options);
  std::printf("%s\nWith commands: %s#token=%s\nCtrl-C ends the server.\n", site.address().c_str(),
              site.address().c_str(), site.token().c_str());
  std::fflush(stdout);
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

Command serve_command() {
  return {
      .name = "serve",
      .arguments = "FOLDER",
      .least = 1,
      .most = 1,
      .summary = "Shows a folder of results in a browser while programs write it.",
      .description =
          {"Runs are folders with a file log, at most four levels deep. Their curves, entries, pictures and "
           "arguments are updated while programs write them. Programs with the extension "
           "CommandsExtension or LivePage execute commands from the page (snapshot, pause, stop, another "
           "learning rate), which require the token of the printed address.",
           "The server listens on 127.0.0.1; with --host=0.0.0.0 on all interfaces, where everyone in the network can "
           "read. Behind a proxy, --name is the host name that browsers "
           "request; TLS and authentication are the proxy's task."},
      .options = {{"port", "NUMBER", "8080 by default; 0 selects a free port"},
                  {"host", "ADDRESS", "the address to listen on, 127.0.0.1 by default"},
                  {"name", "HOST", "another host name (with its port) that browsers may request; may be repeated",
                   true}},
      .run = run};
}

}  // namespace tool
