// SPDX-License-Identifier: MIT
#include "chainer/backend/cuda/program_source.h"

#include <cstdlib>
#include <limits>
#include <span>

#include "chainer/array/operations/ops.h"
#include "chainer/core/error.h"

namespace chainer::cuda {
namespace {

using Args = ProgramArgs;

constexpr const char* kTypes[] = {"bool_", "int8",    "int16",   "int32",   "int64",
                                  "uint8", "float16", "float32", "float64", "bfloat16"};
const char* name_of(Type t) { return kTypes[static_cast<int>(t)]; }

// Returns the name in Walk (kernels/compiled.h) of an operand's layout.
const char* walk_of(const Args& a, int operand) {
  const Operand& o = a.operands[operand];
  bool is_single = true, is_dense = true, is_near = true;
  int64_t dense = item_size(static_cast<Dtype>(o.type));
  for (int d = 0; d < a.space.ndim; ++d) {
    is_single = is_single && o.stride[d] == 0;
    is_dense = is_dense && o.stride[d] == dense;
    is_near = is_near && std::abs(o.stride[d]) <= std::numeric_limits<int32_t>::max();
    dense *= a.space.extent[d].divisor;
  }
  return is_single ? "single" : is_dense ? "dense" : is_near ? "near" : "any";
}

// Calls f(place, is_written) for all places of an instruction.
template <class F>
void visit_places(const Args::Instruction& i, F&& f) {
  for (int k = 0; k < i.inputs; ++k) f(int(i.in[k]), false);
  f(int(i.out), true);
}
// The places used by a program, in ascending order.
struct Places {
  bool used[Args::kOperands + Args::kRegisters] = {};
  explicit Places(const Args& a) {
    for (const Args::Instruction& i : std::span(a.code, static_cast<std::size_t>(a.instructions)))
      visit_places(i, [this](int place, bool) { used[place] = true; });
  }
  template <class F>
  void visit(F&& f) const {
    for (int place = 0; place < Args::kOperands + Args::kRegisters; ++place)
      if (used[place]) f(place);
  }
};
}  // namespace

int axes_of(const Args& a) {
  int axes = 0;
  Places(a).visit([&](int place) {
    if (place >= Args::kOperands) return;
    const std::string_view walk = walk_of(a, place);
    if (walk == "near" || walk == "any") axes = a.space.ndim;
  });
  return axes;
}

namespace {

std::string text_of(int place) {
  return place < Args::kOperands ? text("m", place) : text("r", place - Args::kOperands);
}

// Returns the number of elements that a thread processes at a time: enough to hide memory latency while values stay in
// registers.
int elements_of_thread(const Args& a) {
  bool wide = false;
  for (const Args::Instruction& i : std::span(a.code, static_cast<std::size_t>(a.instructions)))
    wide = wide || i.compute != Type::float32;
  const int weight = a.instructions * (wide ? 2 : 1);
  return weight <= 12 ? 4 : weight <= 32 ? 2 : 1;
}

}  // namespace

void add_signature(const Args& a, std::string& out) {
  for (const Args::Instruction& i : std::span(a.code, static_cast<std::size_t>(a.instructions))) {
    out += static_cast<char>(i.operation), out += static_cast<char>(i.compute);
    visit_places(i, [&out](int place, bool) { out += static_cast<char>(place); });
  }
  Places(a).visit([&](int place) {
    if (place < Args::kOperands)
      out += static_cast<char>(a.operands[place].type), out += *walk_of(a, place);
    else
      out += static_cast<char>(a.register_type[place - Args::kOperands]);
  });
  out += static_cast<char>(axes_of(a)), out += static_cast<char>(a.operand_count);
}

std::string program_source(const Args& a, std::string_view kernel) {
  int room[2] = {};
  with_compact_args(a.operand_count, axes_of(a),
                    [&]<int operands, int axes>(CompactArgs<operands, axes>*) { room[0] = operands, room[1] = axes; });
  std::string s =
      text("#include \"chainer/backend/cuda/kernels/compiled.h\"\n\nnamespace chainer::cuda {\n\nusing ", kernel,
           "_args = CompactArgs<", room[0], ", ", room[1], ">;\nKERNEL(", kernel, ", ", kernel,
           "_args) {\n  constexpr int each = ", elements_of_thread(a), ", axes = ", axes_of(a),
           ";\n  const int64_t block = int64_t(blockDim.x) * each;\n"
           "  for (int64_t first = blockIdx.x * block; first < a.space.size; first += gridDim.x * block) {\n"
           "    const Elements<each, axes> i(a.space, static_cast<uint32_t>(first) + threadIdx.x);\n");
  Places(a).visit([&](int place) {
    if (place < Args::kOperands)
      s += text("    Memory<", kernel, "_args::Operand, Type::", name_of(a.operands[place].type),
                ", Walk::", walk_of(a, place), ", each> ", text_of(place), "{a.operands[", place, "]};\n");
    else
      s += text("    Register<Type::", name_of(a.register_type[place - Args::kOperands]), ", each> ", text_of(place),
                ";\n");
  });
  for (const Args::Instruction& i : std::span(a.code, static_cast<std::size_t>(a.instructions))) {
    const char* in = i.compute == Type::float32 ? "float" : i.compute == Type::float64 ? "double" : "int64_t";
    s += text("    compute<", name(static_cast<Elementwise>(i.operation)), "_op, ", in, ">(i, ", text_of(i.out));
    for (int k = 0; k < i.inputs; ++k) s += ", " + text_of(i.in[k]);
    s += ");\n";
  }
  return s + "  }\n}\n\n}  // namespace chainer::cuda\n";
}

}  // namespace chainer::cuda
