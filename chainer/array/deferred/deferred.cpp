// SPDX-License-Identifier: MIT
// The lists of pending computations: how they are added and removed. evaluation.cpp evaluates them.
#include "chainer/array/deferred/deferred.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>
#include <string_view>
#include <utility>

#include "chainer/array/external.h"
#include "chainer/array/derived.h"
#include "chainer/array/operations/ops.h"
#include "chainer/array/order.h"
#include "chainer/array/deferred/evaluation.h"
#include "chainer/core/system/fork.h"
#include "chainer/core/parallel.h"

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
  p->flush_denormals = cpu::denormals_flushed();
  return p;
}

// Evaluates operands that are pending for another thread: operands of a computation must be in memory or pending in the
// same registry.
void take_over(std::span<const Array* const> in, const Registry& mine) {
  for (const Array* a : in)
    if (a->body().pending.load(std::memory_order_acquire) && a->body().registry != &mine) evaluate(a->body());
}

// make_room() in one registry, whose lock is held. Reductions come first, because their results take little memory,
// then the latest computations, because their intermediate results are not stored.
bool make_room_in(Registry& r, Device device) {
  if (running()) return false;
  const auto held = [](const Pending* p) { return p ? Ref<ArrayBody>(p->body) : Ref<ArrayBody>(); };
  for (const bool reductions : {true, false})
    for (Ref<ArrayBody> body = held(r.newest); body; body = held(body->pending.load()->older)) {
      if (body->device != device || (body->pending.load()->kind == Pending::Kind::reduce) != reductions) continue;
      try {
        evaluate_locked(r, *body, {});
        return true;
      } catch (const MemoryError&) {}  // the computation remains pending
    }
  return false;
}

// Calls f, which evaluates; if there is no memory, evaluates other pending computations and tries again.
template <class F>
void with_room(Registry& r, Device device, const F& f) {
  for (;;) try {
      return f();
    } catch (const MemoryError&) {
      if (!make_room_in(r, device)) throw;
    }
}

// Enforces the limit on memory kept alive by pending computations.
void keep_within_budget(Registry& r) {
  while (r.oldest && r.held_bytes > std::max(kBudget, 8 * r.largest)) {
    const Ref<ArrayBody> oldest(r.oldest->body);
    evaluate_locked(r, *oldest, {});
  }
}

// Adds a computation to the registry and to the readers of its operands.
Array enlist(Registry& r, Pending* p, Ref<ArrayBody> body) {
  const std::lock_guard lock(r.mutex);
  int depth = 0;
  bool shared = false;  // with code that may write to an operand at any time
  for (int i = 0; i < p->count; ++i) {
    depth = std::max(depth, depth_of(*p->in[i]));
    shared = shared || p->in[i]->owner().marked(ArrayBody::kShared);
  }
  body->registry = &r;
  add_readers(r, *p);
  p->depth = static_cast<uint8_t>(depth + 1);
  p->older = r.newest;
  (r.newest ? r.newest->newer : r.oldest) = p;
  r.newest = p;
  r.largest = std::max(r.waiting++ ? r.largest : 0, body->size * item_size(body->dtype));
  body->pending.store(p, std::memory_order_release);
  if (depth + 1 >= kDeepest || shared) with_room(r, body->device, [&] { evaluate_locked(r, *body, {}); });
  keep_within_budget(r);
  return Array(std::move(body));
}

// Returns the traversal that a reduction needs; nothing if eager evaluation is better.
std::optional<Traversal> traversal_of(const Array& a, const Dims& axes) {
  const Shape& shape = a.shape();
  Traversal t;
  int state = 0;  // before, within, after the reduced axes
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

namespace {

// The registries of all threads. The list only grows, so that it is read without a lock.
struct Registries {
  std::mutex mutex;
  std::atomic<Registry*> first{nullptr};
  Observer observer;  // guarded by the lock, too
  std::atomic<bool> observed{false};

  Registries() {
    const auto each = [this](auto f) {
      for (Registry* r = first; r; r = r->next) f(*r);
    };
    at_fork({kForkWaiting, [this] { lock_all(); },
             [=, this] {
               mutex.unlock();
               each([](Registry& r) { r.mutex.unlock(); });
             },
             [=, this] {
               new (&mutex) std::mutex;
               each([](Registry& r) { new (&r.mutex) std::recursive_mutex; });
             }});
  }
  // A thread that holds a registry's lock may acquire the list's (observe()), so the list's lock is acquired last; then
  // it is checked that no registry was added.
  void lock_all() {
    for (Registry* locked = nullptr;;) {
      Registry* const head = first;
      for (Registry* r = head; r != locked; r = r->next) r->mutex.lock();
      locked = head;
      mutex.lock();
      if (first == head) return;
      mutex.unlock();
    }
  }
  Registry* take() {
    const std::lock_guard lock(mutex);
    for (Registry* r = first; r; r = r->next)
      if (!std::exchange(r->taken, true)) return r;
    auto* r = new Registry;
    r->next = first;
    first = r;
    return r;
  }
};
Registries& registries() {
  static Registries* all = new Registries;  // never destroyed: arrays may outlive main()
  return *all;
}
[[maybe_unused]] const Registries& registries_made_early = registries();  // before threads, see core/pool.cpp

constinit thread_local Registry* own = nullptr;

}  // namespace

std::atomic<void (*)()> before_drop{nullptr};

Registry& registry() {
  if (!own) [[unlikely]] {
    static thread_local struct Return {
      Registry* r = registries().take();
      ~Return() {
        const std::lock_guard lock(registries().mutex);
        r->taken = false;
      }
    } taken;
    own = taken.r;
  }
  return *own;
}

void observe(const Program& program, double seconds) {
  Observer f;
  {
    const std::lock_guard lock(registries().mutex);
    f = registries().observer;
  }
  if (f) f(program.names(), seconds, program.space.product());
}
bool observed() { return registries().observed.load(std::memory_order_relaxed); }

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
  Statistics s;
  for (Registry* r = registries().first; r; r = r->next) {
    const std::lock_guard lock(r->mutex);
    s.waiting += r->waiting;
    s.held_bytes += r->held_bytes;
    s.programs += r->programs;
    s.operations += r->operations;
  }
  return s;
}

void set_observer(Observer observer) {
  const std::lock_guard lock(registries().mutex);
  registries().observed = static_cast<bool>(observer);
  registries().observer = std::move(observer);
}

Array elementwise(Elementwise op, std::span<const Array* const> in, const Dims& order, Dtype dtype, Dtype compute) {
  const Shape& shape = in[0]->shape();
  if (!enabled() || is_small(in[0]->size(), in[0]->device())) return {};
  for (const Array* a : in)
    if (!follows(a->body(), order)) return {};
  Registry& r = registry();
  take_over(in, r);
  auto body = ArrayBody::without_memory(shape, dtype, in[0]->device(), order, name(op).data());
  Pending* p = make(Pending::Kind::elementwise, *body);
  p->op = op;
  p->compute = compute_dtype(compute);
  for (const Array* a : in) p->in[p->count++] = a->body_ref();
  return enlist(r, p, std::move(body));
}

Array reduce(Reduce op, const Array& a, const Dims& axes, const Shape& shape, const Dims& order, Dtype dtype) {
  if (!enabled() || is_small(a.size(), a.device()) || !is_dense(a.body())) return {};
  const std::optional<Traversal> t = traversal_of(a, axes);
  if (!t) return {};
  Registry& r = registry();
  const Array* const in[] = {&a};
  take_over(in, r);
  auto body = ArrayBody::make(shape, dtype, a.device(), order, name(op).data());
  Pending* p = make(Pending::Kind::reduce, *body);
  p->reduction = op;
  p->traversal = *t;
  p->in[p->count++] = a.body_ref();
  return enlist(r, p, std::move(body));
}

Array cast(const Array& a, Dtype dtype) {
  ArrayBody& b = a.body();
  if (!b.pending.load(std::memory_order_acquire)) return {};
  {
    const std::lock_guard lock(b.registry->mutex);
    const Pending* p = b.pending.load(std::memory_order_relaxed);
    if (!p || p->kind != Pending::Kind::elementwise) return {};
  }
  const Array* const in[] = {&a};
  return elementwise(Elementwise::copy, in, result_order(in), dtype, conversion_type(a.dtype(), dtype));
}

void attach_view(ArrayBody& view, ArrayBody& of, int64_t offset) {
  const std::lock_guard lock(of.registry->mutex);
  const Pending* parent = of.pending.load(std::memory_order_relaxed);
  if (!parent) {  // evaluated since the caller checked
    view.data = of.data + offset * item_size(of.dtype);
    return;
  }
  Pending* p = make(Pending::Kind::view, view);
  p->offset = offset + parent->offset;
  view.registry = of.registry;
  view.pending.store(p, std::memory_order_release);
}

void release(Registry& r, Pending* p) {
  if (p->kind != Pending::Kind::view) {
    (p->older ? p->older->newer : r.oldest) = p->newer;
    (p->newer ? p->newer->older : r.newest) = p->older;
    --r.waiting;
    remove_readers(*p);
  }
  p->~Pending();
  pool::release(p, sizeof(Pending));
}

bool drop_last(ArrayBody& body) noexcept {
  if (const auto f = before_drop.load(std::memory_order_relaxed)) f();
  Registry& r = *body.registry;
  const std::lock_guard lock(r.mutex);
  if (!body.refs.decrement()) return false;
  if (Pending* p = body.pending.exchange(nullptr)) release(r, p);
  return true;
}

void evaluate(ArrayBody& body) {
  Registry& r = *body.registry;
  const std::lock_guard lock(r.mutex);
  with_room(r, body.device, [&] { evaluate_locked(r, body, {}); });
  keep_within_budget(r);
}

void run_all(const Device& device) {
  while (make_room(device)) continue;
}

bool make_room(Device device) {
  if (running()) return false;  // already holds a lock, perhaps of another registry
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  return make_room_in(r, device);
}

void evaluate(std::span<const Array> arrays) {
  std::vector<ArrayBody*> waiting, together;
  for (const Array& a : arrays)
    if (a && a.body().pending.load(std::memory_order_acquire)) waiting.push_back(&a.body());
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const ArrayBody* a, const ArrayBody* b) { return std::less<>()(a->registry, b->registry); });
  for (std::size_t i = 0; i < waiting.size(); i += together.size()) {
    Registry& r = *waiting[i]->registry;
    together.clear();
    for (std::size_t k = i; k < waiting.size() && waiting[k]->registry == &r; ++k) together.push_back(waiting[k]);
    const std::lock_guard lock(r.mutex);
    with_room(r, together[0]->device, [&] { evaluate_all_locked(r, together); });
    keep_within_budget(r);
  }
}

namespace {
void evaluate_readers_in(Registry& r, ArrayBody& owner) {
  const std::lock_guard lock(r.mutex);
  std::vector<Ref<ArrayBody>> readers;
  std::vector<ArrayBody*> all;
  Computations found;
  readers_in(r, owner, SIZE_MAX, found);
  for (Pending* p : found) readers.emplace_back(p->body), all.push_back(p->body);
  evaluate_all_locked(r, all);
}
}  // namespace

void evaluate_readers(ArrayBody& owner) {
  if (!owner.readers.any()) return;
  evaluate_readers_in(registry(), owner);
  for (Registry* r = registries().first; r && owner.readers.any(); r = r->next) evaluate_readers_in(*r, owner);
}

void prepare_write(ArrayBody& body) {
  ArrayBody& owner = body.owner();
  if (body.marked(ArrayBody::kReadOnly))
    throw ValueError("this array of shape ", body.shape, " cannot be written to: ",
                     owner.marked(ArrayBody::kReadOnly) ? "its external memory is read-only"
                                                        : "it repeats elements of a smaller array (broadcast_to)",
                     "; copy() returns a writable array");
  if (owner.marked(ArrayBody::kForms)) derived::drop(owner);
  evaluate_readers(owner);
}

}  // namespace chainer::deferred
