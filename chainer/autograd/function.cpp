#include "chainer/autograd/function.h"

#include <cxxabi.h>

#include <cstdlib>
#include <typeinfo>

namespace chainer {
namespace {

// What an old-style backward returns: arrays that cannot be differentiated again.
struct OldStyleGradient : FunctionNode {
  OldStyleGradient(std::shared_ptr<Function> f, Arrays x) : function(std::move(f)), inputs_data(std::move(x)) {}
  Arrays forward(const Arrays& gy) override { return function->backward(inputs_data, gy); }
  Variables backward(const Indexes&, const Variables&) override {
    throw RuntimeError("cannot twice-differentiate an old style Function \"", function->label(), "\"");
  }
  std::shared_ptr<Function> function;
  Arrays inputs_data;
};

}  // namespace

Arrays Function::backward(const Arrays& inputs, const Arrays&) { return Arrays(inputs.size()); }

std::string Function::label() const {
  int status = 0;
  char* demangled = abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &status);
  std::string s = status == 0 ? demangled : typeid(*this).name();
  std::free(demangled);
  if (const std::size_t at = s.rfind("::"); at != s.npos) s = s.substr(at + 2);
  return s;
}

Arrays FunctionAdapter::forward(const Arrays& in) {
  function_->retained_in_.reset();
  Arrays out = function_->forward(in);
  if (function_->retained_in_) {
    FunctionNode::retain_inputs(*function_->retained_in_);
  } else {
    Indexes all;
    for (std::size_t i = 0; i < in.size(); ++i) all.push_back(static_cast<int>(i));
    FunctionNode::retain_inputs(all);
  }
  FunctionNode::retain_outputs(function_->retained_out_);
  return out;
}

Variables FunctionAdapter::backward(const Indexes& wanted, const Variables& gy) {
  function_->output_data_ = FunctionNode::output_data();
  Arrays g;
  bool all_there = true;
  for (const Variable& v : gy) {
    g.push_back(v.array());
    all_there &= static_cast<bool>(v);
  }
  const Arrays in = input_data();
  Arrays out = function_->backward(in, g);
  if (out.size() != in.size())
    throw ValueError("backward of ", label(), " returned ", out.size(), " gradients for ", in.size(), " inputs");
  Variables result;
  for (int i : wanted) result.push_back(out[static_cast<std::size_t>(i)]);
  if (!config().enable_backprop || !all_there) return result;
  // A second graph is wanted: leave a node in it that says why it ends here.
  struct Again : Function {
    explicit Again(Arrays v, std::string n) : values(std::move(v)), name(std::move(n)) {}
    Arrays forward(const Arrays&) override { return {}; }
    Arrays backward(const Arrays&, const Arrays&) override { return values; }
    std::string label() const override { return name; }
    Arrays values;
    std::string name;
  };
  Arrays chosen;
  for (int i : wanted) chosen.push_back(out[static_cast<std::size_t>(i)]);
  for (const Array& a : chosen)
    if (!a) return result;
  return apply(OldStyleGradient(std::make_shared<Again>(chosen, label()), in), gy);
}

}  // namespace chainer
