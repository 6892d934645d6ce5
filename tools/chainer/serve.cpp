#include <chrono>
#include <cstdio>
#include <thread>

#include "chainer/training/live/site.h"
#include "command.h"

namespace tool {
namespace {

int run(const Arguments& a) {
  const double port = a.number("port", 8080);
  if (!(port >= 0 && port <= 65535) || port != static_cast<double>(static_cast<int>(port)))
    throw UsageError("--port takes a whole number from 0 to 65535");
  chainer::live::SiteOptions options{.host = a.text("host", "127.0.0.1"), .port = static_cast<int>(port)};
  if (a.has("name")) options.names.push_back(a.text("name", ""));
  const chainer::live::Site site(a.positional[0], options);
  std::printf("%s\nFor changes: %s#token=%s\nCtrl-C ends it.\n", site.address().c_str(), site.address().c_str(),
              site.token().c_str());
  std::fflush(stdout);
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

Command serve_command() {
  return {.name = "serve",
          .arguments = "FOLDER",
          .least = 1,
          .most = 1,
          .summary = "Shows a folder of results in a browser while programs write it.",
          .description = {"Runs are folders with a file log, at most four deep. Their curves, entries, pictures and "
                          "arguments are shown as they come. Programs with the extension CommandsExtension or LivePage "
                          "obey what is asked on the page (a snapshot, a pause, the end, another learning rate), which "
                          "needs the token of the printed address.",
                          "It listens at this machine's own address. Behind a proxy, --name is what browsers ask for; "
                          "the proxy does TLS and lets in who may read."},
          .options = {{"port", "NUMBER", "8080 by default; 0 takes one that is free"},
                      {"host", "ADDRESS", "the address to listen at, 127.0.0.1 by default"},
                      {"name", "HOST", "a host (with its port) that browsers may ask for, too"}},
          .run = run};
}

}  // namespace tool
