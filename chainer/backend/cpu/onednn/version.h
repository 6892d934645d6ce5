// SPDX-License-Identifier: MIT
// The differences between the major versions of oneDNN's interface. The version of the header determines whether
// version_2.cpp or version_3.cpp is built; Layout's factory functions are defined there, too.
#pragma once
#include <functional>

#include "chainer/backend/cpu/onednn/library.h"

namespace chainer::cpu::onednn {

/// Returns a function of the opened library, or nullptr.
void* find_function(void* opened, const char* symbol);
/// For lists of functions: resolves each of `own` in `opened` until one is missing.
#define CHAINER_ONEDNN_FIND(NAME) \
  (own.NAME = reinterpret_cast<decltype(own.NAME)>(find_function(opened, "dnnl_" #NAME))) != nullptr&&
/// Resolves the functions that only this version has; returns false if one is missing.
bool find_own_functions(void* opened);

/// Adds a post-operation that accumulates into the target.
void append_sum(dnnl_post_ops_t operations);

/// Passes the library's implementations of a convolution, best first, to `take` until it returns true. A descriptor is
/// valid during the call.
void for_each_choice(const WantedConvolution& wanted, const_dnnl_primitive_attr_t attributes,
                     const std::function<bool(const_dnnl_primitive_desc_t)>& take);

}  // namespace chainer::cpu::onednn
