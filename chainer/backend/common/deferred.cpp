// What waits: its list, how it comes about and goes. The evaluation itself is in evaluation.cpp.
#include "chainer/backend/common/deferred.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "chainer/array/order.h"
#include "chainer/backend/common/evaluation.h"

namespace chainer::deferred {
namespace {

thread_local int eager_modes = 0;

int depth_of(const ArrayBody& b) {
  const Pending* p = b.pending.load(std::memory_order_relaxed);
  if (p && p->kind == Pending::Kind::view) p = b.base->pending.load(std::memory_order_relaxed);
  return p ? p->depth : 0;
}

Pending* make(Pending::Kind kind, ArrayBody& body) {
  auto* p = new (pool::allocate(sizeof(Pending))) Pending;
  p->kind = kind;
  p->body = &body;
  return p;
}

// From here on the computation is known: its operands know that they have a reader.
Array enlist(Pending* p, Ref<ArrayBody> body) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  int depth = 0;
  for (int i = 0; i < p->count; ++i) {
    depth = std::max(depth, depth_of(*p->in[i]));
    ArrayBody& owner = p->in[i]->owner();
    owner.pending_readers.fetch_add(1, std::memory_order_relaxed);
    if (!owner.held && !owner.pending.load(std::memory_order_relaxed)) {
      owner.held = true;
      r.statistics.held_bytes += owner.size * item_size(owner.dtype);
    }
  }
  p->depth = static_cast<uint8_t>(depth + 1);
  p->older = r.newest;
  (r.newest ? r.newest->newer : r.oldest) = p;
  r.newest = p;
  ++r.statistics.waiting;
  body->pending.store(p, std::memory_order_release);
  if (depth + 1 >= kDeepest) evaluate_locked(*body, {});
  const int64_t budget = std::max(kBudget, 8 * body->size * item_size(body->dtype));
  while (r.statistics.held_bytes > budget && r.oldest) {
    const Ref<ArrayBody> oldest(r.oldest->body);
    evaluate_locked(*oldest, {});
  }
  return Array(std::move(body));
}

// Which traversal a reduction needs; none when eager evaluation does it better.
std::optional<Traversal> traversal_of(const Array& a, const Dims& axes) {
  const Shape& shape = a.shape();
  Traversal t;
  int state = 0;  // before, within, behind the reduced axes
  for (int64_t d : memory_order(a)) {
    if (shape[d] == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (reduced && state == 2) return {};
    if (reduced) state = 1;
    if (!reduced && state == 1) state = 2;
    (state == 0 ? t.outer : state == 1 ? t.rows : t.width) *= shape[d];
  }
  if (state == 2) {
    t.columns = true;
    return t.width >= 64 || t.rows >= 64 ? std::optional(t) : std::nullopt;
  }
  return Traversal{false, t.outer, 1, t.rows};
}

}  // namespace

Registry& registry() {
  static Registry* r = new Registry;  // never destroyed: arrays may outlive main
  return *r;
}

bool enabled() {
  static const bool on = [] {
    const char* v = std::getenv("CHAINER_DEFERRED");
    return !v || std::string_view(v) != "0";
  }();
  return on && eager_modes == 0;
}
EagerMode::EagerMode() { ++eager_modes; }
EagerMode::~EagerMode() { --eager_modes; }

Statistics statistics() {
  std::lock_guard lock(registry().mutex);
  return registry().statistics;
}

void set_observer(Observer observer) {
  std::lock_guard lock(registry().mutex);
  registry().observer = std::move(observer);
}

Array elementwise(Elementwise op, std::span<const Array* const> in, const Dims& order, Dtype dtype, Dtype compute) {
  const Shape& shape = in[0]->shape();
  if (!enabled() || in[0]->size() < kLeast) return {};
  for (const Array* a : in)
    if (!follows(a->body(), order)) return {};
  auto body = ArrayBody::without_memory(shape, dtype, in[0]->device(), order);
  Pending* p = make(Pending::Kind::elementwise, *body);
  p->op = op;
  p->compute = compute_dtype(compute);
  for (const Array* a : in) p->in[p->count++] = a->body_ref();
  return enlist(p, std::move(body));
}

Array reduce(Reduce op, const Array& a, const Dims& axes, const Shape& shape, const Dims& order, Dtype dtype) {
  if (!enabled() || a.size() < kLeast || !is_dense(a.body())) return {};
  const std::optional<Traversal> t = traversal_of(a, axes);
  if (!t) return {};
  auto body = ArrayBody::make(shape, dtype, a.device(), order);
  Pending* p = make(Pending::Kind::reduce, *body);
  p->reduction = op;
  p->traversal = *t;
  p->in[p->count++] = a.body_ref();
  return enlist(p, std::move(body));
}

Array cast(const Array& a, Dtype dtype) {
  const Pending* p = a.body().pending.load(std::memory_order_acquire);
  if (!p || p->kind != Pending::Kind::elementwise) return {};
  const Array* const in[] = {&a};
  return elementwise(Elementwise::copy, in, result_order(in), dtype, conversion_type(a.dtype(), dtype));
}

void attach_view(ArrayBody& view, ArrayBody& of, int64_t offset) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const Pending* parent = of.pending.load(std::memory_order_relaxed);
  if (!parent) {  // evaluated since the caller looked
    view.data = of.data + offset * item_size(of.dtype);
    return;
  }
  Pending* p = make(Pending::Kind::view, view);
  p->offset = offset + parent->offset;
  view.pending.store(p, std::memory_order_release);
}

void release(Pending* p) {
  Registry& r = registry();
  if (p->kind != Pending::Kind::view) {
    (p->older ? p->older->newer : r.oldest) = p->newer;
    (p->newer ? p->newer->older : r.newest) = p->older;
    --r.statistics.waiting;
    for (int i = 0; i < p->count; ++i) {
      ArrayBody& owner = p->in[i]->owner();
      if (owner.pending_readers.fetch_sub(1, std::memory_order_release) == 1 && owner.held) {
        owner.held = false;
        r.statistics.held_bytes -= owner.size * item_size(owner.dtype);
      }
    }
  }
  p->~Pending();
  pool::release(p, sizeof(Pending));
}

void drop(ArrayBody& body) noexcept {
  std::lock_guard lock(registry().mutex);
  if (Pending* p = body.pending.exchange(nullptr)) release(p);
}

void evaluate(ArrayBody& body) {
  std::lock_guard lock(registry().mutex);
  evaluate_locked(body, {});
}

void evaluate(std::span<const Array> arrays) {
  std::vector<ArrayBody*> waiting;
  for (const Array& a : arrays)
    if (a && a.body().pending.load(std::memory_order_acquire)) waiting.push_back(&a.body());
  if (waiting.empty()) return;
  std::lock_guard lock(registry().mutex);
  for (ArrayBody* b : waiting) evaluate_locked(*b, waiting);
}

void evaluate_readers(ArrayBody& owner) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  std::vector<Ref<ArrayBody>> readers;
  for (Pending* p = r.oldest; p; p = p->newer)
    for (int i = 0; i < p->count; ++i)
      if (&p->in[i]->owner() == &owner) readers.emplace_back(p->body);
  std::vector<ArrayBody*> all;
  for (const auto& b : readers) all.push_back(b.get());
  for (ArrayBody* b : all) evaluate_locked(*b, all);
}

}  // namespace chainer::deferred
