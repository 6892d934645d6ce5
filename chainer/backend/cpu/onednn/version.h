// What the major versions of oneDNN's interface do differently. The version of its header decides whether version_2.cpp
// or version_3.cpp is built; Layout's makers stand there, too.
#pragma once
#include <functional>

#include "chainer/backend/cpu/onednn/library.h"

namespace chainer::cpu::onednn {

/// A function of the opened library.
void* find_function(void* opened, const char* symbol);
/// For lists of functions: finds each of `own` in `opened`, as long as none is missing.
#define CHAINER_ONEDNN_FIND(NAME) \
  (own.NAME = reinterpret_cast<decltype(own.NAME)>(find_function(opened, "dnnl_" #NAME))) != nullptr&&
/// Looks up what only this version has; false where something is missing.
bool find_own_functions(void* opened);

/// Adds a sum with what the target holds.
void append_sum(dnnl_post_ops_t operations);

/// Hands the library's implementations of a convolution, the best one first, to `take` until it says that it has
/// enough. A description lives as long as the call.
void for_each_choice(const WantedConvolution& wanted, const_dnnl_primitive_attr_t attributes,
                     const std::function<bool(const_dnnl_primitive_desc_t)>& take);

}  // namespace chainer::cpu::onednn
