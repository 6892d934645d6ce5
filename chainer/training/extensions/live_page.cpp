#include <cstdio>

#include "chainer/core/file.h"
#include "chainer/training/extensions/live.h"
#include "chainer/training/live/site.h"

namespace chainer::training::extensions {

bool LivePage::available() { return live::HttpServer::available(); }

std::string LivePage::address() const {
  if (!site_) throw RuntimeError("LivePage: it serves while the trainer runs only");
  return site_->address();
}
std::string LivePage::token() const {
  if (!site_) throw RuntimeError("LivePage: it serves while the trainer runs only");
  return site_->token();
}

void LivePage::initialize(Trainer& trainer) {
  CommandsExtension::initialize(trainer);
  if (!options_.args.empty()) {
    json::Object args;
    for (const auto& [name, value] : options_.args) args.emplace_back(name, value);
    write_file(trainer.out() / "args", json::dump(json::Value(std::move(args)), 4));
  }
  site_ = std::make_shared<live::Site>(
      trainer.out(), live::SiteOptions{.host = options_.host, .port = options_.port, .names = options_.names});
  std::fprintf(stderr, "This run: %s#token=%s\n", address().c_str(), token().c_str());
}

void LivePage::finalize() { site_.reset(); }

}  // namespace chainer::training::extensions
