// SPDX-License-Identifier: MIT
// cuDNN's graph interface on the host's memory: descriptors are checked as far as convolutions have them, engines are
// those that a test names, and plans convolve in plain loops, for float32 and float64.
#include "chainer/backend/cuda/cudnn.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kBad = 2000, kNotSupported = 3000;

struct Engine {
  unsigned notes;  // a bit each
  int64_t workspace;
  bool broken;  // no plan can be made of it
};
struct Thing {  // a descriptor: the bytes of its attributes
  int kind;
  bool finished = false;
  std::map<int, std::vector<char>> values;
  std::map<int, int64_t> counts;
  Engine engine{};
  int number = -1;  // of the engine
};
std::vector<Engine> preferred{{0, 0, false}}, others;
std::string failing;
bool biases = true;
int failure = 0, planned = 0, executed = 0, last_engine = -1, living = 0;

int answer(const char* call) { return failing == call ? failure : 0; }
Thing& thing(void* p) { return *static_cast<Thing*>(p); }
template <class T>
T value(const Thing& t, int name, int64_t i = 0) {
  T out;
  std::memcpy(&out, t.values.at(name).data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return out;
}
Thing& child(const Thing& t, int name) { return thing(value<void*>(t, name)); }
bool has(const Thing& t, std::initializer_list<int> names) {
  return std::all_of(names.begin(), names.end(), [&](int n) { return t.values.count(n) == 1; });
}

// A tensor with three spatial axes.
struct Tensor {
  std::array<int64_t, 5> size{1, 1, 1, 1, 1}, stride{0, 0, 0, 0, 0};
  explicit Tensor(const Thing& t) {
    const int64_t n = t.counts.at(902);
    for (int64_t d = 0; d < n; ++d) {
      const auto to = static_cast<std::size_t>(d < 2 ? d : d + 5 - n);
      size[to] = value<int64_t>(t, 902, d), stride[to] = value<int64_t>(t, 903, d);
    }
  }
};
struct Axes {
  std::array<int64_t, 3> stride{1, 1, 1}, pad{0, 0, 0}, behind{0, 0, 0}, dilate{1, 1, 1};
  explicit Axes(const Thing& c) {
    const auto n = value<int64_t>(c, 106);
    for (int64_t d = 0; d < n; ++d) {
      const auto to = static_cast<std::size_t>(d + 3 - n);
      stride[to] = value<int64_t>(c, 103, d), pad[to] = value<int64_t>(c, 105, d);
      behind[to] = value<int64_t>(c, 104, d), dilate[to] = value<int64_t>(c, 102, d);
    }
  }
};
struct Names {
  int alpha, beta, convolution, w, x, y;
};
Names names_of(int kind) {
  if (kind == 10) return {700, 701, 702, 703, 704, 705};
  if (kind == 12) return {706, 707, 708, 709, 710, 711};
  return {712, 713, 714, 715, 716, 717};
}

bool is_operation(const Thing& t) {
  const Names n = names_of(t.kind);
  if (!has(t, {n.alpha, n.beta, n.convolution, n.w, n.x, n.y})) return false;
  const Tensor x(child(t, n.x)), w(child(t, n.w)), y(child(t, n.y));
  const Axes axes(child(t, n.convolution));
  bool good = x.size[0] == y.size[0] && w.size[0] == y.size[1] && x.size[1] % w.size[1] == 0 &&
              w.size[0] % (x.size[1] / w.size[1]) == 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const int64_t room = x.size[d + 2] + axes.pad[d] + axes.behind[d] - (w.size[d + 2] - 1) * axes.dilate[d] - 1;
    good = good && room >= 0 && room / axes.stride[d] + 1 == y.size[d + 2];
  }
  return good;
}

template <class T>
void convolve(const Thing& operation, T* x, T* w, T* y) {
  const Names n = names_of(operation.kind);
  const Tensor tx(child(operation, n.x)), tw(child(operation, n.w)), ty(child(operation, n.y));
  const Axes axes(child(operation, n.convolution));
  const auto at = [](const Tensor& t, T* data, int64_t i, int64_t j, const std::array<int64_t, 3>& p) -> T& {
    return data[i * t.stride[0] + j * t.stride[1] + p[0] * t.stride[2] + p[1] * t.stride[3] + p[2] * t.stride[4]];
  };
  const auto each = [](int64_t a, int64_t b, int64_t c, auto&& f) {
    for (int64_t i = 0; i < a; ++i)
      for (int64_t j = 0; j < b; ++j)
        for (int64_t k = 0; k < c; ++k) f(std::array<int64_t, 3>{i, j, k});
  };
  const bool forward = operation.kind == 10, data = operation.kind == 12;
  const Tensor& out = forward ? ty : data ? tx : tw;
  T* to = forward ? y : data ? x : w;
  const T alpha = value<T>(operation, n.alpha), beta = value<T>(operation, n.beta);
  for (int64_t i = 0; i < out.size[0]; ++i)
    for (int64_t j = 0; j < out.size[1]; ++j)
      each(out.size[2], out.size[3], out.size[4], [&](const auto& p) {
        T& element = at(out, to, i, j, p);
        element = beta == 0 ? 0 : beta * element;
      });
  const int64_t groups = tx.size[1] / tw.size[1], filters = tw.size[0] / groups;
  for (int64_t image = 0; image < tx.size[0]; ++image)
    for (int64_t k = 0; k < tw.size[0]; ++k)
      for (int64_t c = 0; c < tw.size[1]; ++c)
        each(ty.size[2], ty.size[3], ty.size[4], [&](const auto& o) {
          each(tw.size[2], tw.size[3], tw.size[4], [&](const auto& tap) {
            std::array<int64_t, 3> in;
            for (std::size_t d = 0; d < 3; ++d) {
              in[d] = o[d] * axes.stride[d] + tap[d] * axes.dilate[d] - axes.pad[d];
              if (in[d] < 0 || in[d] >= tx.size[d + 2]) return;
            }
            T &of_x = at(tx, x, image, k / filters * tw.size[1] + c, in), &of_w = at(tw, w, k, c, tap);
            T& of_y = at(ty, y, image, k, o);
            if (forward)
              of_y += alpha * of_x * of_w;
            else if (data)
              of_x += alpha * of_y * of_w;
            else
              of_w += alpha * of_x * of_y;
          });
        });
}

// Adds the bias (1, K, 1...) of the operation `sum` to the result of a convolution.
template <class T>
void add_bias(const Thing& sum, const T* bias, T* y) {
  const Tensor to(child(sum, 753)), from(child(sum, 752));
  for (int64_t i = 0; i < to.size[0]; ++i)
    for (int64_t k = 0; k < to.size[1]; ++k)
      for (int64_t a = 0; a < to.size[2]; ++a)
        for (int64_t b = 0; b < to.size[3]; ++b)
          for (int64_t c = 0; c < to.size[4]; ++c)
            y[i * to.stride[0] + k * to.stride[1] + a * to.stride[2] + b * to.stride[3] + c * to.stride[4]] +=
                bias[k * from.stride[1]];
}
// A sum of the result of a convolution, which is not in memory, and a bias.
bool is_sum(const Thing& t) {
  if (!has(t, {750, 751, 752, 753}) || value<int>(child(t, 750), 0) != 0) return false;
  const Thing &x = child(t, 751), &y = child(t, 753);
  const Tensor before(x), bias(child(t, 752)), after(y);
  return x.values.count(907) == 1 && y.values.count(907) == 0 && before.size == after.size &&
         before.stride == after.stride && bias.size == std::array<int64_t, 5>{1, after.size[1], 1, 1, 1};
}

}  // namespace

extern "C" {

// What tests ask of this library: engines of the first and of the other heuristics, a failure, and what was done.
void fake_engines(const unsigned* notes, const int64_t* workspaces, const int* broken, int first, int all) {
  preferred.clear(), others.clear();
  for (int i = 0; i < all; ++i) (i < first ? preferred : others).push_back({notes[i], workspaces[i], broken[i] != 0});
}
void fake_biases(int has) { biases = has != 0; }  // whether there are plans with a bias
void fake_cudnn_fail(const char* call, int status) { failing = call, failure = status; }
int fake_planned() { return planned; }
int fake_executed() { return executed; }
int fake_engine() { return last_engine; }  // of the plan that was made last
int fake_descriptors() { return living; }

std::size_t cudnnGetVersion() { return 91900; }
int cudnnCreate(void** handle) { return *handle = &living, answer("cudnnCreate"); }
int cudnnDestroy(void*) { return 0; }
int cudnnSetStream(void*, chainer::cuda::CuHandle) { return answer("cudnnSetStream"); }
const char* cudnnGetErrorString(int status) {
  return status == kBad ? "CUDNN_STATUS_BAD_PARAM" : status == kNotSupported ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN";
}
void cudnnGetLastErrorString(char* text, std::size_t bytes) { std::strncpy(text, "as it was told", bytes - 1); }
int cudnnBackendCreateDescriptor(int kind, void** descriptor) {
  ++living;
  return *descriptor = new Thing{kind, {}, {}, {}, {}, -1}, answer("cudnnBackendCreateDescriptor");
}
int cudnnBackendDestroyDescriptor(void* descriptor) {
  if (descriptor) --living;
  return delete static_cast<Thing*>(descriptor), 0;
}
int cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t count, const void* values) {
  constexpr int64_t kBytes[25] = {8, 4, 1, 8, 4, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 8, 4, 4, 4, 4, 4, 4, 4, 4, 1};
  Thing& t = thing(descriptor);
  if (t.finished) return kBad;
  const auto* bytes = static_cast<const char*>(values);
  t.values[name].assign(bytes, bytes + count * kBytes[type]);
  t.counts[name] = count;
  return 0;
}
int cudnnBackendFinalize(void* descriptor) {
  Thing& t = thing(descriptor);
  t.finished = true;
  bool good = true;
  switch (t.kind) {
    case 0: good = has(t, {0, 1}); break;
    case 1: good = has(t, {100, 101, 102, 103, 104, 105, 106}); break;
    case 4: good = has(t, {200, 201}); break;
    case 5:
      good = has(t, {400, 401});
      t.engine = child(t, 401).engine, t.number = child(t, 401).number;
      if (t.engine.broken) return kNotSupported;
      ++planned, last_engine = t.number;
      break;
    case 10:
    case 11:
    case 12: good = is_operation(t); break;
    case 13: good = is_sum(t); break;
    case 15:
      good = has(t, {800, 801}) && (t.counts[801] == 1 || (t.counts[801] == 2 && child(t, 801).kind == 10 &&
                                                           value<void*>(child(t, 801), 705) ==
                                                               value<void*>(thing(value<void*>(t, 801, 1)), 751)));
      if (good && t.counts[801] == 2 && !biases) return kNotSupported;
      break;
    case 16: good = has(t, {1000, 1001, 1003}); break;
    case 17: good = has(t, {900, 901, 902, 903, 906}) && t.counts[902] == t.counts[903] && t.counts[902] >= 4; break;
    default: break;
  }
  return good ? answer("cudnnBackendFinalize") : kBad;
}
int cudnnBackendGetAttribute(void* descriptor, int name, int, int64_t room, int64_t* count, void* values) {
  const Thing& t = thing(descriptor);
  if (name == 202) {
    const bool first = value<int>(t, 200) == 3;
    const std::vector<Engine>& engines = first ? preferred : others;
    *count = static_cast<int64_t>(engines.size());
    for (int64_t i = 0; i < std::min(room, *count); ++i) {
      Thing& to = thing(static_cast<void**>(values)[i]);
      to.engine = engines[static_cast<std::size_t>(i)];
      const void* heuristics = descriptor;
      const auto* bytes = reinterpret_cast<const char*>(&heuristics);
      to.values[1].assign(bytes, bytes + sizeof heuristics);  // where it comes from
      to.number = static_cast<int>(i) + (first ? 0 : static_cast<int>(preferred.size()));
    }
  } else if (name == 300) {
    *count = 1;
    thing(*static_cast<void**>(values)).engine = t.engine;
  } else if (name == 1303) {
    *count = 0;
    for (int note = 0; note < 10; ++note)
      if (t.engine.notes >> note & 1) static_cast<int*>(values)[(*count)++] = note;
  } else if (name == 402) {
    *count = 1;
    std::memcpy(values, &t.engine.workspace, sizeof t.engine.workspace);
  } else {
    return kBad;
  }
  return 0;
}
int cudnnBackendExecute(void*, void* plan, void* arguments) {
  if (const int status = answer("cudnnBackendExecute")) return status;
  const Thing &p = thing(plan), &a = thing(arguments);
  const Thing& graph = child(child(child(p, 401), 1), 201);
  const Thing& operation = child(graph, 801);
  const Names n = names_of(operation.kind);
  const Thing* const sum = graph.counts.at(801) == 2 ? &thing(value<void*>(graph, 801, 1)) : nullptr;
  std::vector<const Thing*> tensors{&child(operation, n.x), &child(operation, n.w),
                                    sum ? &child(*sum, 753) : &child(operation, n.y)};
  if (sum) tensors.push_back(&child(*sum, 752));
  std::array<void*, 4> at{};  // x, w, y, bias
  if (a.counts.at(1000) != static_cast<int64_t>(tensors.size())) return kBad;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    for (int64_t i = 0; i < a.counts.at(1000); ++i)
      if (value<int64_t>(*tensors[k], 906) == value<int64_t>(a, 1000, i)) at[k] = value<void*>(a, 1001, i);
    if (!at[k] || reinterpret_cast<std::size_t>(at[k]) % static_cast<std::size_t>(value<int64_t>(*tensors[k], 900)))
      return kBad;
  }
  if (p.engine.workspace) std::memset(value<void*>(a, 1003), 0xff, static_cast<std::size_t>(p.engine.workspace));
  ++executed;
  const auto compute = [&]<class T>(T) {
    convolve(operation, static_cast<T*>(at[0]), static_cast<T*>(at[1]), static_cast<T*>(at[2]));
    if (sum) add_bias(*sum, static_cast<const T*>(at[3]), static_cast<T*>(at[2]));
  };
  const int type = value<int>(child(operation, n.x), 901);
  if (type == 0) compute(0.0f);
  if (type == 1) compute(0.0);
  return 0;
}

}  // extern "C"
