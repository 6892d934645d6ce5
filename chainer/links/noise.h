// SPDX-License-Identifier: MIT
// L: connections with noise (manual: "Learnable connections").
#pragma once
#include "chainer/links/members.h"
#include "chainer/core/other_options.h"

namespace chainer {
namespace links {

/// Options of SimplifiedDropconnect.
struct SimplifiedDropconnectOptions {
  double ratio = 0.5;
  bool nobias = false;
  InitializerArg initialW = {};      ///< HeNormal(1 / sqrt(2)) by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// F::simplified_dropconnect with its parameters W (out_size, in_size) and b (out_size): x (N, in_size) to
/// (N, out_size). With std::nullopt for in_size, W is initialized at the first call. forward() throws as the function
/// does.
class SimplifiedDropconnect : public Link {
 public:
  SimplifiedDropconnect(std::optional<int64_t> in_size, int64_t out_size,
                        const SimplifiedDropconnectOptions& options = {});
  CHAINER_OTHER_OPTIONS(SimplifiedDropconnect, ".ratio, .nobias, .initialW, .initial_bias", std::optional<int64_t>,
                        int64_t);
  Variable forward(const Variable& x, bool train = true, const Array& mask = {}, bool use_batchwise_mask = true);
  chainer::Parameter W;
  std::optional<chainer::Parameter> b;  ///< absent with nobias
  CHAINER_DECLARE_MEMBERS(SimplifiedDropconnect);

 private:
  int64_t out_size_;
  double ratio_;
};

}  // namespace links
namespace L = links;
}  // namespace chainer
