#include "chainer/backend/cpu/onednn/library.h"

#include <dlfcn.h>

#include <array>

#include "chainer/backend/cpu/blas.h"
#include "chainer/core/parallel.h"
#include "chainer/core/error.h"

namespace chainer::cpu::onednn {
namespace {

template <class F>
bool find(void* library, const char* symbol, F& function) {
  function = reinterpret_cast<F>(dlsym(library, symbol));
  return function != nullptr;
}

const Library* open() {
  void* opened = onednn_library();
  if (!opened) return nullptr;
  Library l;
#define X(NAME) \
  if (!find(opened, "dnnl_" #NAME, l.NAME)) return nullptr;
  CHAINER_ONEDNN_FUNCTIONS(X)
#undef X
  if (l.engine_create(&l.engine, dnnl_cpu, 0) != dnnl_success) return nullptr;
  if (l.stream_create(&l.stream, l.engine, dnnl_stream_default_flags) != dnnl_success) return nullptr;
  return new Library(l);  // never closed: primitives may outlive main
}

// The attributes of all primitives: working memory comes with each run, so that threads may share a primitive.
struct Attributes {
  Attributes() {
    if (library()->primitive_attr_create(&value) != dnnl_success) throw RuntimeError("oneDNN: no attributes");
    library()->primitive_attr_set_scratchpad_mode(value, dnnl_scratchpad_mode_user);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { library()->primitive_attr_destroy(value); }
  void add_to_target() {
    dnnl_post_ops_t sum = nullptr;
    if (library()->post_ops_create(&sum) != dnnl_success) throw RuntimeError("oneDNN: no sum");
    library()->post_ops_append_sum(sum, 1);
    library()->primitive_attr_set_post_ops(value, sum);
    library()->post_ops_destroy(sum);
  }
  dnnl_primitive_attr_t value = nullptr;
};

// Takes the descriptor over.
std::shared_ptr<const Primitive> make(dnnl_primitive_desc_t descriptor, std::initializer_list<dnnl_query_t> layouts) {
  const Library& l = *library();
  auto p = std::make_shared<Primitive>();
  for (dnnl_query_t q : layouts) p->layouts.push_back(*l.primitive_desc_query_md(descriptor, q, 0));
  p->scratchpad = *l.primitive_desc_query_md(descriptor, dnnl_query_scratchpad_md, 0);
  const char* name = nullptr;
  if (l.primitive_desc_query(descriptor, dnnl_query_impl_info_str, 0, &name) == dnnl_success) p->implementation = name;
  const dnnl_status_t status = l.primitive_create(&p->primitive, descriptor);
  l.primitive_desc_destroy(descriptor);
  return status == dnnl_success ? p : nullptr;
}

}  // namespace

const Library* library() {
  static const Library* instance = open();
  return instance;
}

Primitive::~Primitive() {
  if (primitive) library()->primitive_destroy(primitive);
}

int primitive_threads() { return library_threads(in_parallel() ? 1 : thread_count()); }

std::shared_ptr<const Primitive> make_primitive(const void* operation, std::initializer_list<dnnl_query_t> layouts) {
  const Attributes attributes;
  const LibraryThreads threads(primitive_threads());
  dnnl_primitive_desc_t descriptor = nullptr;
  const Library& l = *library();
  if (l.primitive_desc_create(&descriptor, operation, attributes.value, l.engine, nullptr) != dnnl_success)
    return nullptr;
  return make(descriptor, layouts);
}

std::shared_ptr<const Primitive> make_reorder(const dnnl_memory_desc_t& from, const dnnl_memory_desc_t& to, bool add) {
  Attributes attributes;
  if (add) attributes.add_to_target();
  const LibraryThreads threads(primitive_threads());
  dnnl_primitive_desc_t descriptor = nullptr;
  const Library& l = *library();
  if (l.reorder_primitive_desc_create(&descriptor, &from, l.engine, &to, l.engine, attributes.value) != dnnl_success)
    return nullptr;
  return make(descriptor, {});
}

void execute(const Primitive& p, std::initializer_list<Argument> arguments, const char* operation) {
  constexpr std::size_t kMost = 6;
  const Library& l = *library();
  const Scratch scratch(l.memory_desc_get_size(&p.scratchpad));
  std::array<dnnl_exec_arg_t, kMost> list;
  int count = 0;
  dnnl_status_t status = dnnl_success;
  const auto pass = [&](int role, const dnnl_memory_desc_t& layout, void* memory) {
    dnnl_memory_t object = nullptr;
    if (status == dnnl_success) status = l.memory_create(&object, &layout, l.engine, memory);
    if (object) list[static_cast<std::size_t>(count++)] = {role, object};
  };
  for (const Argument& a : arguments) pass(a.role, *a.layout, a.memory);
  if (scratch.block.data) pass(DNNL_ARG_SCRATCHPAD, p.scratchpad, scratch.block.data);
  const LibraryThreads threads(primitive_threads());
  if (status == dnnl_success) status = l.primitive_execute(p.primitive, l.stream, count, list.data());
  for (int i = 0; i < count; ++i) l.memory_destroy(list[static_cast<std::size_t>(i)].memory);
  if (status != dnnl_success) throw RuntimeError(operation, ": oneDNN failed with status ", static_cast<int>(status));
}

}  // namespace chainer::cpu::onednn
