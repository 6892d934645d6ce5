// SPDX-License-Identifier: MIT
// Configuration: process-wide values, and values of a thread that override them in a scope.
#pragma once
#include <any>
#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "chainer/array/dtype.h"

namespace chainer {

/// The default floating-point dtype, or two of them in mixed precision.
struct DefaultDtype {
  constexpr DefaultDtype(Dtype d) : parameters(d) {}
  constexpr DefaultDtype(Dtype p, Dtype narrow) : parameters(p), products(narrow) {}
  constexpr operator Dtype() const { return parameters; }

  Dtype parameters;                    ///< of parameters, their gradients and the states of optimizers
  std::optional<Dtype> products = {};  ///< in mixed precision, of products, and of the activations computed from them
};
/// Mixed precision: parameters in float32; products of matrices and convolutions, and the activations and gradients of
/// activations computed from them, in 16 bits; losses and sums in float32 again. While config().dtype has one of these
/// values, functions cast their inputs (see docs/guide/mixed_precision.md), so that models need no change.
///   config().dtype = mixed_bfloat16;
inline constexpr DefaultDtype mixed16{float32, float16}, mixed_bfloat16{float32, bfloat16};
/// Returns the name: "float32", "mixed16", ...
std::string to_string(const DefaultDtype& d);

/// A configuration entry: its own value, or that of the parent entry.
template <class T>
class Option {
 public:
  Option(T v) : value_(std::move(v)) {}
  operator const T&() const { return get(); }
  operator Dtype() const requires std::same_as<T, DefaultDtype> { return get(); }
  const T& get() const { return local_ || !parent_ ? value_ : parent_->get(); }
  Option& operator=(T v) {
    value_ = std::move(v);
    local_ = true;
    return *this;
  }
  void follow(const Option* parent) { parent_ = parent; }
  std::optional<T> local() const { return local_ ? std::optional<T>(value_) : std::nullopt; }
  void restore(std::optional<T> v) {
    local_ = v.has_value();
    if (v) value_ = std::move(*v);
  }

 private:
  T value_;
  const Option* parent_ = nullptr;
  bool local_ = false;
};

// Return the value of an environment variable, or a default. dtype_from_environment() throws TypeError if the text is
// not a floating dtype, mixed16 or mixed_bfloat16.
namespace detail {
std::string text_from_environment(const char* name, const char* otherwise);
bool flag_from_environment(const char* name, bool otherwise);
DefaultDtype dtype_from_environment(const char* name, const char* otherwise);
}  // namespace detail

/// The configuration entries of the Chainer manual, with its defaults and environment variables.
struct Config {
  Option<bool> autotune{false};
  /// Whether recurrent networks on a device use this library's own kernels, because the rounding of cuDNN's may differ
  /// from run to run. Convolutions on a device are always deterministic.
  Option<bool> cudnn_deterministic{false};
  Option<bool> cudnn_fast_batch_normalization{
      detail::flag_from_environment("CHAINER_CUDNN_FAST_BATCH_NORMALIZATION", false)};
  /// Enables checks for NaN in results and gradients; an error names the function.
  Option<bool> debug{detail::flag_from_environment("CHAINER_DEBUG", false)};
  /// The default floating-point data type, or mixed16 or mixed_bfloat16.
  Option<DefaultDtype> dtype{detail::dtype_from_environment("CHAINER_DTYPE", "float32")};
  Option<bool> enable_backprop{true};
  /// Whether threads flush denormal numbers to zero. A thread reads this entry once, when it first uses the
  /// configuration (as every function and every update does), so that results do not change between two steps.
  /// cpu::flush_denormals() changes the mode of a thread later.
  Option<bool> flush_denormals{detail::flag_from_environment("CHAINER_FLUSH_DENORMALS", true)};
  Option<bool> in_recomputing{false};
  Option<bool> keep_graph_on_report{detail::flag_from_environment("CHAINER_KEEP_GRAPH_ON_REPORT", false)};
  Option<bool> lazy_grad_sum{detail::flag_from_environment("CHAINER_LAZY_GRAD_SUM", false)};
  Option<bool> train{true};
  /// Whether failed type checks explain the condition. The checks are done in any case, because kernels rely on them.
  Option<bool> type_check{detail::flag_from_environment("CHAINER_TYPE_CHECK", true)};
  /// "never" uses this library's own kernels for convolutions and recurrent networks on a device, even if cuDNN is
  /// available. Gradients are computed as the forward pass was.
  Option<std::string> use_cudnn{detail::text_from_environment("CHAINER_USE_CUDNN", "auto")};
  /// Whether cuDNN's convolutions and recurrent layers may use tensor cores, which round operands of float32 to ten
  /// bits of mantissa (TF32): "auto" and "always" allow it, as does PyTorch by default for convolutions; with "never"
  /// neither float32 nor 16-bit types use them.
  Option<std::string> use_cudnn_tensor_core{detail::text_from_environment("CHAINER_USE_CUDNN_TENSOR_CORE", "auto")};
  Option<std::string> use_ideep{detail::text_from_environment("CHAINER_USE_IDEEP", "never")};
  /// Whether convolutions on the host may use Winograd's algorithm where it is faster. It computes tiles of results:
  /// one infinite or NaN input affects a whole tile, and exact zeros of masked filters become rounding errors. The
  /// gradients of a convolution are computed as the convolution was. Not in the manual; CHAINER_CONVOLUTION=direct sets
  /// it to false.
  Option<bool> winograd{detail::text_from_environment("CHAINER_CONVOLUTION", "") != "direct"};
  std::map<std::string, std::any, std::less<>> user;  ///< entries of the user

  /// The default constructor reads the environment; the other one makes a thread's configuration that follows `parent`.
  Config() = default;
  explicit Config(const Config& parent);
  Config& operator=(const Config&) = delete;

  /// Returns a user's entry, of this thread or else of the parent. Throws KeyError if it is not set, std::bad_any_cast
  /// if it has another type.
  template <class T>
  T get(std::string_view key) const {
    return std::any_cast<T>(find(key));
  }
  /// Returns lines "key value", with keys sorted and padded.
  std::string show() const;

 private:
  const std::any& find(std::string_view key) const;
  const Config* parent_ = nullptr;
};

/// Returns the configuration of the process, which applies to all entries that a thread has not set itself.
Config& global_config();
namespace detail {
inline constinit thread_local Config* thread_config = nullptr;
Config& make_thread_config();
}  // namespace detail
/// Returns this thread's configuration. An assignment, config().train = false, affects this thread only. For all other
/// entries a thread uses global_config(): global_config().train = false, for example, also turns dropout off in worker
/// threads.
inline Config& config() { return detail::thread_config ? *detail::thread_config : detail::make_thread_config(); }

/// Sets an entry of this thread's configuration during its lifetime:
///   UsingConfig test_mode(&Config::train, false);
///   UsingConfig mine("user_key", 3);
class [[nodiscard]] UsingConfig {
 public:
  template <class T>
  [[nodiscard]] UsingConfig(Option<T> Config::*entry, std::type_identity_t<T> value) {
    Option<T>& option = config().*entry;
    restore_ = [&option, old = option.local()] { option.restore(old); };
    option = std::move(value);
  }
  /// Sets a boolean entry ("train") or a user's entry of any type by name. Throws KeyError for a new key that resembles
  /// the name of an entry ("trian"), TypeError for an entry that is not boolean.
  template <class T>
  [[nodiscard]] UsingConfig(std::string_view key, T value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (set_flag(key, value)) return;
    }
    set_user(key, std::any(std::move(value)));
  }
  UsingConfig(const UsingConfig&) = delete;
  UsingConfig& operator=(const UsingConfig&) = delete;
  ~UsingConfig() { restore_(); }

 private:
  bool set_flag(std::string_view key, bool value);
  void set_user(std::string_view key, std::any value);
  std::function<void()> restore_;
};

/// Scopes in which graphs are not built, or are built. The innermost scope applies.
struct [[nodiscard]] NoBackpropMode : UsingConfig {
  [[nodiscard]] NoBackpropMode() : UsingConfig(&Config::enable_backprop, false) {}
};
struct [[nodiscard]] ForceBackpropMode : UsingConfig {
  [[nodiscard]] ForceBackpropMode() : UsingConfig(&Config::enable_backprop, true) {}
};
[[nodiscard]] inline NoBackpropMode no_backprop_mode() { return {}; }
[[nodiscard]] inline ForceBackpropMode force_backprop_mode() { return {}; }
/// A scope in which functions check for NaN, or do not.
///   const DebugMode debug(true);
struct [[nodiscard]] DebugMode : UsingConfig {
  [[nodiscard]] explicit DebugMode(bool debug) : UsingConfig(&Config::debug, debug) {}
};

/// Returns the debug entry of the configuration.
bool is_debug();
void set_debug(bool debug);
/// Returns `dtype` if given, else the configured default; in mixed precision that of parameters.
Dtype get_dtype(std::optional<Dtype> dtype = {});

}  // namespace chainer
