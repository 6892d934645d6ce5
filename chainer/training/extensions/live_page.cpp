// SPDX-License-Identifier: MIT
#include <cstdio>

#include "chainer/training/extensions/live.h"
#include "chainer/viewing/live/site.h"

namespace chainer::training::extensions {

bool LivePage::available() { return live::HttpServer::available(); }

std::string LivePage::address() const {
  if (!site_) throw RuntimeError("LivePage: address() was called while the trainer does not run");
  return site_->address();
}
std::string LivePage::token() const {
  if (!site_) throw RuntimeError("LivePage: token() was called while the trainer does not run");
  return site_->token();
}

void LivePage::initialize(Trainer& trainer) {
  CommandsExtension::initialize(trainer);
  if (!options_.args.empty()) SaveArguments(options_.args).initialize(trainer);
  site_ = std::make_shared<live::Site>(
      trainer.out(), live::SiteOptions{.host = options_.host, .port = options_.port, .names = options_.names});
  std::fprintf(stderr, "This run: %s#token=%s\n", address().c_str(), token().c_str());
}

void LivePage::tell_paused(bool paused) {
  if (site_) site_->tell_state(paused ? "paused" : "");
}

void LivePage::finalize() {
  CommandsExtension::finalize();
  if (site_) site_->tell_state(trainer_->is_completed() ? "finished" : trainer_->has_failed() ? "failed" : "stopped");
  site_.reset();
}

}  // namespace chainer::training::extensions
