// Configuration: process-wide values, and per-thread values that override them for a scope.
#pragma once
#include <any>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "chainer/array/dtype.h"

namespace chainer {

/// One entry: a value of its own, or the value of the parent entry.
template <class T>
class Option {
 public:
  Option(T v) : value_(std::move(v)) {}
  operator const T&() const { return get(); }
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

// The value of an environment variable, or a default; a text that names no floating dtype is a TypeError.
namespace detail {
std::string text_from_environment(const char* name, const char* otherwise);
bool flag_from_environment(const char* name, bool otherwise);
Dtype dtype_from_environment(const char* name, const char* otherwise);
}  // namespace detail

/// The keys of the manual's configuration chapter, with its defaults; environment variables named there change them.
struct Config {
  Option<bool> autotune{false};
  /// No effect: results of a device's convolutions always have the same bits.
  Option<bool> cudnn_deterministic{false};
  Option<bool> cudnn_fast_batch_normalization{
      detail::flag_from_environment("CHAINER_CUDNN_FAST_BATCH_NORMALIZATION", false)};
  /// NaN and gradient checks; a failing forward names its function.
  Option<bool> debug{detail::flag_from_environment("CHAINER_DEBUG", false)};
  /// The default floating type.
  Option<Dtype> dtype{detail::dtype_from_environment("CHAINER_DTYPE", "float32")};
  Option<bool> enable_backprop{true};
  /// Threads flush denormal numbers to zero, from the moment on when they first use the configuration, which every
  /// function and every update does: no result changes between one step and the next. A thread reads this entry once;
  /// cpu::flush_denormals() changes the thread's mode later.
  Option<bool> flush_denormals{detail::flag_from_environment("CHAINER_FLUSH_DENORMALS", true)};
  Option<bool> in_recomputing{false};
  Option<bool> keep_graph_on_report{detail::flag_from_environment("CHAINER_KEEP_GRAPH_ON_REPORT", false)};
  Option<bool> lazy_grad_sum{detail::flag_from_environment("CHAINER_LAZY_GRAD_SUM", false)};
  Option<bool> train{true};
  /// Whether failed type checks explain the condition. They run in any case: kernels trust them.
  Option<bool> type_check{detail::flag_from_environment("CHAINER_TYPE_CHECK", true)};
  /// "never": convolutions on a device are this library's own kernels also where cuDNN is found. A convolution's
  /// gradients are computed as it was.
  Option<std::string> use_cudnn{detail::text_from_environment("CHAINER_USE_CUDNN", "auto")};
  /// Whether cuDNN's convolutions may use tensor cores: "auto" for 16-bit types, "always" also for float32, whose
  /// operands they round to ten bits of mantissa (TF32), "never".
  Option<std::string> use_cudnn_tensor_core{"auto"};
  Option<std::string> use_ideep{detail::text_from_environment("CHAINER_USE_IDEEP", "never")};
  std::map<std::string, std::any, std::less<>> user;  ///< keys of the user's own

  /// The process's configuration reads the environment, a thread's follows the process's.
  Config() = default;
  explicit Config(const Config& parent);
  Config& operator=(const Config&) = delete;

  /// A user key, looked up in this thread first; KeyError if nobody set it.
  template <class T>
  T get(std::string_view key) const {
    return std::any_cast<T>(find(key));
  }
  /// "key value" lines, keys sorted and padded.
  std::string show() const;

 private:
  const std::any& find(std::string_view key) const;
  const Config* parent_ = nullptr;
};

/// The configuration of all threads, as far as they have not assigned an entry themselves.
Config& global_config();
namespace detail {
inline constinit thread_local Config* thread_config = nullptr;
Config& make_thread_config();
}  // namespace detail
/// This thread's configuration. An assignment, config().train = false, changes this thread only; a thread that did not
/// assign an entry follows global_config(), which every thread sees: global_config().train = false turns dropout off in
/// worker threads, too.
inline Config& config() { return detail::thread_config ? *detail::thread_config : detail::make_thread_config(); }

/// Sets an entry of this thread's configuration for a scope:
///   UsingConfig test_mode(&Config::train, false);
///   UsingConfig mine("user_key", 3);
class [[nodiscard]] UsingConfig {
 public:
  template <class T>
  UsingConfig(Option<T> Config::*entry, std::type_identity_t<T> value) {
    Option<T>& option = config().*entry;
    restore_ = [&option, old = option.local()] { option.restore(old); };
    option = std::move(value);
  }
  /// By name, for the boolean entries ("train"), and for user keys with a value of any type. A new key that is nearly
  /// an entry's name ("trian") is a KeyError.
  template <class T>
  UsingConfig(std::string_view key, T value) {
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

/// Scopes without and with graph building; the inner one counts.
struct [[nodiscard]] NoBackpropMode : UsingConfig {
  NoBackpropMode() : UsingConfig(&Config::enable_backprop, false) {}
};
struct [[nodiscard]] ForceBackpropMode : UsingConfig {
  ForceBackpropMode() : UsingConfig(&Config::enable_backprop, true) {}
};
inline NoBackpropMode no_backprop_mode() { return {}; }
inline ForceBackpropMode force_backprop_mode() { return {}; }
/// A scope in which functions look for NaN, or do not.
///   const DebugMode debug(true);
struct [[nodiscard]] DebugMode : UsingConfig {
  explicit DebugMode(bool debug) : UsingConfig(&Config::debug, debug) {}
};

/// The configuration's debug entry.
bool is_debug();
void set_debug(bool debug);
/// `dtype` if given, else the configured default.
Dtype get_dtype(std::optional<Dtype> dtype = {});

}  // namespace chainer
