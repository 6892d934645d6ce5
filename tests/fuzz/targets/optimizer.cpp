// States of every optimizer, loaded and used.
#include <functional>
#include <memory>

#include "../members.h"
#include "../targets.h"

using namespace chainer;

namespace fuzz {
namespace {

template <class O>
std::unique_ptr<GradientMethod> make() {
  return std::make_unique<O>();
}
using Make = std::unique_ptr<GradientMethod> (*)();
constexpr Make kOptimizers[] = {
    make<optimizers::Adam>,        make<optimizers::AdaDelta>,   make<optimizers::AdaGrad>,
    make<optimizers::MomentumSGD>, make<optimizers::NesterovAG>, make<optimizers::CorrectedMomentumSGD>,
    make<optimizers::MSVAG>,       make<optimizers::RMSprop>,    make<optimizers::RMSpropGraves>,
    make<optimizers::SMORMS3>,     make<optimizers::SGD>,
};
constexpr std::size_t kCount = sizeof kOptimizers / sizeof *kOptimizers;

void step(GradientMethod& o, L::Linear& l) {
  o.update([&] { return F::sum(F::square(l(ones({2, 3})))); });
}

}  // namespace

const Members& optimizer_members(std::size_t number) {
  static std::vector<Members> all(kCount);
  Members& members = all[number % kCount];
  if (members.empty()) {
    L::Linear l(3, 4);
    const auto o = kOptimizers[number % kCount]();
    o->setup_link(l);
    step(*o, l);
    members = members_of(*o);
  }
  return members;
}

void optimizer(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t number = static_cast<unsigned char>(bytes[0]);
  const Members& members = optimizer_members(number);
  L::Linear l(3, 4);
  const auto o = kOptimizers[number % kCount]();
  o->setup_link(l);
  // A wrong type would be found by the master copies too.
  if (number >= 128) o->use_fp32_update();
  try {
    serializers::NpzDeserializer s(replaced(members, bytes.substr(1)));
    o->serialize(s);
    step(*o, l);
    step(*o, l);
  } catch (const Error&) {}
}

}  // namespace fuzz
