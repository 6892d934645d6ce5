// SPDX-License-Identifier: MIT
#include "chainer/backend/cpu/onednn/library.h"

#include <array>
#include <span>

#include "chainer/backend/cpu/products/blas.h"
#include "chainer/backend/cpu/onednn/version.h"
#include "chainer/core/error.h"
#include "chainer/core/parallel.h"
#include "chainer/core/system/run_time_library.h"

namespace chainer::cpu::onednn {
namespace {

const Library* open() {
  void* opened = onednn_library();
  if (!opened) return nullptr;
  Library own;
  if (!(CHAINER_ONEDNN_FUNCTIONS(CHAINER_ONEDNN_FIND) find_own_functions(opened))) return nullptr;
  if (own.engine_create(&own.engine, dnnl_cpu, 0) != dnnl_success) return nullptr;
  if (own.stream_create(&own.stream, own.engine, dnnl_stream_default_flags) != dnnl_success) return nullptr;
  return new Library(own);  // never closed: primitives may outlive main()
}

// The attributes of all primitives: scratch memory is passed to each run, so that threads may share a primitive.
struct Attributes {
  Attributes() {
    if (library()->primitive_attr_create(&value) != dnnl_success)
      throw RuntimeError("oneDNN: cannot create attributes");
    library()->primitive_attr_set_scratchpad_mode(value, dnnl_scratchpad_mode_user);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { library()->primitive_attr_destroy(value); }
  void add_to_target() {
    dnnl_post_ops_t sum = nullptr;
    if (library()->post_ops_create(&sum) != dnnl_success) throw RuntimeError("oneDNN: cannot create a post-op");
    append_sum(sum);
    library()->primitive_attr_set_post_ops(value, sum);
    library()->post_ops_destroy(sum);
  }
  dnnl_primitive_attr_t value = nullptr;
};

std::shared_ptr<const Primitive> make(const_dnnl_primitive_desc_t description, std::span<const dnnl_query_t> layouts) {
  const Library& l = *library();
  auto p = std::make_shared<Primitive>();
  for (dnnl_query_t q : layouts) p->layouts.push_back(Layout::copy_of(l.primitive_desc_query_md(description, q, 0)));
  p->scratchpad = Layout::copy_of(l.primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0));
  p->scratch_bytes = p->scratchpad.bytes();
  const char* name = nullptr;
  if (l.primitive_desc_query(description, dnnl_query_impl_info_str, 0, &name) == dnnl_success) p->implementation = name;
  return l.primitive_create(&p->primitive, description) == dnnl_success ? p : nullptr;
}

std::span<const dnnl_query_t> layouts_of(Convolution op) {
  static constexpr dnnl_query_t queries[][3] = {
      {dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md},
      {dnnl_query_diff_dst_md, dnnl_query_weights_md, dnnl_query_diff_src_md},
      {dnnl_query_src_md, dnnl_query_diff_dst_md, dnnl_query_diff_weights_md}};
  return queries[static_cast<int>(op)];
}

}  // namespace

void* find_function(void* opened, const char* symbol) { return run_time_library::find(opened, symbol); }

const Library* library() {
  static constinit FirstUse<const Library*> instance;
  return instance.get(open);
}

Primitive::~Primitive() {
  if (primitive) library()->primitive_destroy(primitive);
}

int primitive_threads() { return library_threads(in_parallel() ? 1 : thread_count()); }

std::shared_ptr<const Primitive> make_primitive(const WantedConvolution& wanted, std::string_view not_by) {
  const Attributes attributes;
  const LibraryThreads threads(primitive_threads());
  std::shared_ptr<const Primitive> p;
  for_each_choice(wanted, attributes.value, [&](const_dnnl_primitive_desc_t choice) {
    p = make(choice, layouts_of(wanted.op));
    return p && (not_by.empty() || !p->implementation.starts_with(not_by));
  });
  return p;
}

std::shared_ptr<const Primitive> make_reorder(const Layout& from, const Layout& to, bool add) {
  Attributes attributes;
  if (add) attributes.add_to_target();
  const LibraryThreads threads(primitive_threads());
  dnnl_primitive_desc_t description = nullptr;
  const Library& l = *library();
  if (l.reorder_primitive_desc_create(&description, from.handle(), l.engine, to.handle(), l.engine, attributes.value) !=
      dnnl_success)
    return nullptr;
  const auto p = make(description, {});
  l.primitive_desc_destroy(description);
  return p;
}

void execute(const Primitive& p, std::initializer_list<Argument> arguments, const char* operation) {
  constexpr std::size_t kMost = 6;
  const Library& l = *library();
  const Scratch scratch(p.scratch_bytes);
  std::array<dnnl_exec_arg_t, kMost> list;
  int count = 0;
  dnnl_status_t status = dnnl_success;
  const auto pass = [&](int role, const Layout& layout, void* memory) {
    dnnl_memory_t object = nullptr;
    if (status == dnnl_success) status = l.memory_create(&object, layout.handle(), l.engine, memory);
    if (object) list[static_cast<std::size_t>(count++)] = {role, object};
  };
  for (const Argument& a : arguments) pass(a.role, a.layout, a.memory);
  if (scratch.block.data) pass(DNNL_ARG_SCRATCHPAD, p.scratchpad, scratch.block.data);
  const LibraryThreads threads(primitive_threads());
  if (status == dnnl_success) status = l.primitive_execute(p.primitive, l.stream, count, list.data());
  for (int i = 0; i < count; ++i) l.memory_destroy(list[static_cast<std::size_t>(i)].memory);
  if (status != dnnl_success) throw RuntimeError(operation, ": oneDNN failed with status ", static_cast<int>(status));
}

}  // namespace chainer::cpu::onednn
