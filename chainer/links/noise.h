// L: connections with noise (manual: "Learnable connections").
#pragma once
#include "chainer/links/members.h"

namespace chainer {
namespace links {

/// Options of SimplifiedDropconnect.
struct SimplifiedDropconnectOptions {
  double ratio = 0.5;
  bool nobias = false;
  InitializerArg initialW = {};      ///< HeNormal(1 / sqrt(2)) by default
  InitializerArg initial_bias = {};  ///< zero by default
};
/// F::simplified_dropconnect with its weights.
class SimplifiedDropconnect : public Link {
 public:
  SimplifiedDropconnect(std::optional<int64_t> in_size, int64_t out_size,
                        const SimplifiedDropconnectOptions& options = {});
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
