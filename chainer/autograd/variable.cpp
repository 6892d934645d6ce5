// SPDX-License-Identifier: MIT
#include "chainer/autograd/variable.h"

#include <cinttypes>
#include <cstdio>

#include "chainer/array/backend.h"
#include "chainer/array/order.h"
#include "chainer/array/print.h"
#include "chainer/autograd/function_node.h"
#include "chainer/routines/arithmetic.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/reduction.h"

namespace chainer {

Array::operator Variable() const& { return Variable(*this, Ref<VariableNode>()); }
Array::operator Variable() && { return Variable(std::move(*this), Ref<VariableNode>()); }

Variable::Variable(Array array, bool requires_grad) : array_(std::move(array)) {
  if (!array_) {
    if (requires_grad)
      throw TypeError("Variable: expected an array, got an empty one; use Variable() for an empty variable");
    return;
  }
  if (requires_grad) {
    node_ = make_ref<VariableNode>(array_.shape(), array_.dtype(), true).release();
    node_->handles_.store(1, std::memory_order_relaxed);
  }
}

Variable::Variable(Array array, const Ref<VariableNode>& node) : array_(std::move(array)), node_(node.get()) {
  // All handles together own one reference.
  if (node_ && node_->handles_.fetch_add(1, std::memory_order_relaxed) == 0) node_->refs.increment();
}

Variable::Variable(const Variable& o) : array_(o.array_), node_(o.node_pointer()) {
  if (node_) node_->handles_.fetch_add(1, std::memory_order_relaxed);
}

void Variable::drop() noexcept {
  VariableNode* n = std::exchange(node_, nullptr);
  if (n->handles_.load(std::memory_order_acquire) != 1 && n->handles_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  n->handles_.store(0, std::memory_order_relaxed);
  if (n->grad.array_ || n->grad.node_) Variable gone = std::move(n->grad);  // no variable is left to read it
  if (n->refs.decrement()) VariableNode::destroy(n);
}

VariableNode& Variable::ensure_node() const {
  if (VariableNode* const there = node_pointer()) return *there;
  Ref<VariableNode> made = make_ref<VariableNode>(array_.shape(), array_.dtype(), false);
  made->handles_.store(1, std::memory_order_relaxed);
  VariableNode* there = nullptr;  // or the node that another thread created meanwhile
  const bool first = std::atomic_ref<VariableNode*>(node_).compare_exchange_strong(
      there, made.get(), std::memory_order_acq_rel, std::memory_order_acquire);
  return first ? *made.release() : *there;
}

const Ref<VariableNode> Variable::node() const { return Ref<VariableNode>(&ensure_node()); }

void Variable::set_array(Array array) {
  if (node_ && array && (array.shape() != node_->shape_ || array.dtype() != node_->dtype_)) {
    node_->shape_ = array.shape();
    node_->dtype_ = array.dtype();
  }
  if (node_ && node_->extra_ && node_->extra_->data) node_->extra_->data = array;
  array_ = std::move(array);
}

bool Variable::requires_grad() const {
  const VariableNode* const n = node_pointer();
  return n && n->requires_grad_;
}
int Variable::rank() const {
  const VariableNode* const n = node_pointer();
  return n ? n->rank_ : 0;
}
Ref<FunctionNode> Variable::creator() const {
  const VariableNode* const n = node_pointer();
  return n ? n->creator_ : Ref<FunctionNode>();
}
void Variable::set_creator(const Ref<FunctionNode>& f) { ensure_node().set_creator(f); }
void Variable::unchain() {
  if (node_) node_->unchain();
}
void Variable::retain_data() { ensure_node().extra().data = array_; }

Variable Variable::grad_var() const {
  const VariableNode* const n = node_pointer();
  return n ? n->grad : Variable();
}
Array Variable::grad() const {
  const VariableNode* const n = node_pointer();
  return n ? n->grad.array_ : Array();
}

namespace {
void check_gradient(const Array& data, const Array& grad) {
  if (grad.device() != data.device())
    throw TypeError("gradient on device ", grad.device(), " for a variable on ", data.device());
  if (grad.dtype() != data.dtype())
    throw TypeError("the dtype of data and gradient differ: ", data.dtype(), " and ", grad.dtype());
  if (grad.shape() != data.shape())
    throw ValueError("the shape of data and gradient differ: ", data.shape(), " and ", grad.shape());
}
}  // namespace

void Variable::set_grad(const Array& g) { set_grad_var(g ? Variable(g, false) : Variable()); }
void Variable::set_grad_var(const Variable& g) {
  if (g && array_) check_gradient(array_, g.array());
  if (!g && !node_) return;
  ensure_node().grad = g;
}
void Variable::cleargrad() {
  if (node_) node_->grad = Variable();
}
void Variable::zerograd() {
  if (array_) set_grad(zeros_like(array_));
}

void Variable::addgrad(const Variable& other) {
  const Variable g = other.grad_var();
  if (!g) return;
  const Variable here = g.to_device(device());
  set_grad_var(grad() ? add_gradients(grad_var(), here) : here);
}

void Variable::copydata(const Variable& other) {
  if (!array_ || !other.array_) return;
  if (array_.shape() != other.shape())
    throw DimensionError("copydata: shapes differ, ", array_.shape(), " and ", other.shape());
  Array to = array_;
  const Array from = other.array_.to_device(to.device());
  copy_elements(overlap(from, to) ? from.copy() : from, to);  // elements that are written may be read later
}

std::string Variable::name() const {
  const VariableNode* const n = node_pointer();
  return n ? n->name() : std::string();
}
void Variable::set_name(std::string name) { ensure_node().extra().name = std::move(name); }

namespace {
std::string label_of(const Shape& shape, Dtype dtype) {
  if (shape.empty()) return to_string(dtype);
  return text(shape, ", ", dtype);
}
std::string statistics(const Array& a) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, "mean=%.8f, std=%.8f", mean(a).item<double>(), chainer::std(a).item<double>());
  return buffer;
}
}  // namespace

std::string Variable::label() const { return array_ ? label_of(shape(), dtype()) : "(None)"; }

std::string Variable::summary() const {
  if (const std::string n = name(); !n.empty()) return text("<variable ", n, ">");
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "<variable at 0x%016" PRIxPTR ">", reinterpret_cast<uintptr_t>(this));
  return buffer;
}

std::string Variable::debug_print() const {
  std::string s = summary() + "\n";
  if (!array_) return s + "- data: None\n- grad: None";
  s += text("- device: ", device(), "\n- backend: native\n- shape: ", shape(), "\n- dtype: ", dtype());
  s += text("\n- statistics: ", array_.size() ? statistics(array_) : "empty", "\n- grad: ");
  const Array g = grad();
  if (!g) return s + "None";
  return s + (g.size() == 0 || !any(g).item<bool>() ? "0" : statistics(g));
}

namespace {
std::string text_of(const Variable& v, std::string_view separator) {
  const std::string n = v.name();
  const std::string head = n.empty() ? "variable(" : "variable " + n + "(";
  if (!v) return head + "None)";
  std::string s = head + format_elements(v.array(), separator, static_cast<int>(head.size()));
  if (v.size() == 0) s += text(", shape=", v.shape());
  return s + ")";
}
}  // namespace
std::string repr(const Variable& v) { return text_of(v, ","); }
std::string to_string(const Variable& v) { return text_of(v, ""); }
int64_t len(const Variable& v) { return len(v.array()); }

VariableNode::VariableNode(const Shape& shape, Dtype dtype, bool requires_grad)
    : dtype_(dtype), requires_grad_(requires_grad), shape_(shape) {}

VariableNode::~VariableNode() {
  if (creator_) {  // the function must not refer to a destroyed node
    if (output_index_ < creator_->outputs_.size() && creator_->outputs_[output_index_] == this)
      creator_->outputs_[output_index_] = nullptr;
  }
}

void VariableNode::destroy(VariableNode* n) {
  if (n->watched_ && !last_reference(*n)) [[unlikely]]
    return;
  n->~VariableNode();
  pool::release(n, sizeof(VariableNode));
}

std::string VariableNode::label() const { return label_of(shape_, dtype_); }
Variable VariableNode::get_variable() { return Variable(data(), Ref<VariableNode>(this)); }
const Array& VariableNode::data() const {
  static const Array none;
  return extra_ ? extra_->data : none;
}
FunctionNode* VariableNode::creator() const { return creator_.get(); }
void VariableNode::set_creator(const Ref<FunctionNode>& f) {
  if (!f) return unchain();
  creator_ = f;
  rank_ = f->rank_ + 1;
  requires_grad_ = true;
}
void VariableNode::unchain() {
  if (creator_ && output_index_ < creator_->outputs_.size() && creator_->outputs_[output_index_] == this)
    creator_->outputs_[output_index_] = nullptr;
  creator_.reset();
}
void VariableNode::set_loss_scale(std::optional<double> s) {
  if (s || extra_) extra().loss_scale = s;
}

}  // namespace chainer
