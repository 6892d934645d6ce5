// SPDX-License-Identifier: MIT
// Loads states of every optimizer and runs updates.
#include <functional>
#include <memory>

#include "../../all_optimizers.h"
#include "../members.h"
#include "../targets.h"

using namespace chainer;

namespace fuzz {
namespace {

std::size_t count() { return all_optimizers::rows().size(); }

void step(GradientMethod& o, L::Linear& l) {
  o.update([&] { return F::sum(F::square(l(ones({2, 3})))); });
}

}  // namespace

const Members& optimizer_members(std::size_t number) {
  static std::vector<Members> all(count());
  Members& members = all[number % count()];
  if (members.empty()) {
    L::Linear l(3, 4);
    const auto o = all_optimizers::rows()[number % count()].make();
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
  const auto o = all_optimizers::rows()[number % count()].make();
  o->setup_link(l);
  // Half of the cases use float32 master copies.
  if (number >= 128) o->use_fp32_update();
  try {
    serializers::NpzDeserializer s(replaced(members, bytes.substr(1)));
    o->serialize(s);
    step(*o, l);
    step(*o, l);
  } catch (const Error&) {}
}

}  // namespace fuzz
