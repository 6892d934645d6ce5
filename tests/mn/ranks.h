// SPDX-License-Identifier: MIT
// Shared by the tests with several ranks.
#pragma once
#include <chainer/chainer.h>
#include <chainer/mn/mn.h>
#include <chainer/testing/testing.h>

#include "test.h"

/// The communicators that the tests run with.
inline const std::vector<std::string>& communicator_names() {
  static const std::vector<std::string> names = {"naive", "flat", "hierarchical", "two_dimensional", "single_node"};
  return names;
}
/// One of each, created once; without single_node for simulated hosts.
inline const std::vector<chainer::chainermn::Communicator>& communicators() {
  static const std::vector<chainer::chainermn::Communicator> all = [] {
    std::vector<chainer::chainermn::Communicator> out;
    for (const std::string& name : communicator_names())
      if (name != "single_node" || out[0]->inter_size() == 1)
        out.push_back(chainer::chainermn::create_communicator(name));
    return out;
  }();
  return all;
}
inline const chainer::chainermn::Communicator& world() { return communicators()[2]; }
