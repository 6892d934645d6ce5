// SPDX-License-Identifier: MIT
// Records the calls of the host's backend by one thread, as the steps of a Tape.
#pragma once
#include <string>
#include <unordered_map>

#include "chainer/array/backend.h"
#include "chainer/array/recording/step.h"
#include "chainer/array/recording/tape.h"

namespace chainer::recording {

/// A backend in front of a device's backend, by default the host's: while a thread records, it notes every call with
/// operation, numbers, and operands as positions in slots of memory. A replay depends only on the arrays that are
/// bound, not on any values seen while recording. If that is impossible, the recording is refused, with the reason:
/// when elements are read through a pointer (a loop on the host, item()), when an array that existed before and is not
/// bound is read or written, at updates by an optimizer, at random numbers of the Mersenne Twister, on a third device.
/// While another device than the host is recorded, the host may compute numbers from numbers, and send them. Host loops
/// that declare what they read and write (step.h) are steps like any other; memory that the host writes without reading
/// anything is a constant.
class Recorder final : public Backend {
 public:
  explicit Recorder(Tape& tape, Device device = Device());
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() override;

  /// Adds a slot for an existing array: an argument or a member of the phase that is being recorded, or of the next
  /// phase of the tape. Returns its number.
  int bind(const Array& a, bool member);
  /// Returns true if the array's memory has a slot.
  bool knows(const Array& a) const;
  /// Called for an array that is neither bound nor made while recording. May bind the array and return true.
  std::function<bool(const Array&)> unknown;
  /// Set if arrays that are neither arguments nor made while recording have the same elements in each replay; then the
  /// host may read them.
  bool others_stay = false;

  /// For observers that never replay: called when the host reads elements that may differ in a replay. Nothing is
  /// refused then, and the tape cannot be run.
  std::function<void(const ArrayBody&)> host_read;
  /// With host_read: set while the host writes arrays that depend on elements it has read.
  bool host_computes = false;

  /// During its lifetime, this thread records a phase of the tape.
  class Scope {
   public:
    [[nodiscard]] Scope(Recorder& r, Phase& phase);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Recorder& recorder_;
    Recorder* outer_;
  };
  /// Returns the recorder of this thread, or nullptr.
  static Recorder* current();
  /// During its lifetime, this thread computes without recording.
  class Pause {
   public:
    [[nodiscard]] Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause();

   private:
    Recorder* paused_;
  };

  /// Declares, inside a scope, the arrays that a run of the phase returns.
  void finish(const Arrays& results);
  void refuse(std::string_view why);
  /// Returns the reason for which the recording was refused; empty if it was not.
  const std::string& refused() const { return refused_; }
  /// Returns the number of live arrays that were made while recording and not returned by finish().
  int64_t escaped() const;

  void record(const char* name, std::span<const Array> in, std::span<Array> out, HostStep f, bool pure);
  bool active() const { return depth_ == 0 && refused_.empty(); }

  // Called by the functions of watch.h on this thread.
  void host_reads(const ArrayBody& body);
  void host_writes(ArrayBody& body);
  void made(ArrayBody& body);

  std::string name(int index) const override { return real_.name(index); }
  memory::Block allocate(std::size_t bytes, int index) override { return real_.allocate(bytes, index); }
  void release(memory::Block block, int index) override { real_.release(block, index); }
  memory::Statistics memory_statistics(int index) override { return real_.memory_statistics(index); }
  void reset_memory_peak(int index) override { real_.reset_memory_peak(index); }
  void empty_cache(int index) override { real_.empty_cache(index); }
  void set_memory_limit(int64_t bytes, int index) override { real_.set_memory_limit(bytes, index); }
  std::shared_ptr<const TimeMark> mark(int index) override { return real_.mark(index); }
  void host_to_device(int device, void* to, const void* from, std::size_t bytes) override;
  void device_to_host(int device, void* to, const void* from, std::size_t bytes) override;
  void elementwise(Elementwise op, std::span<const Array* const> inputs, Array& out, Dtype compute) override;
  void reduce(Reduce op, const Array& a, const Dims& axes, Array& out) override;
  void arg_reduce(ArgReduce op, const Array& a, int axis, Array& out) override;
  void gemm(const Array& a, const Array& b, Array& out, double alpha, double beta) override;
  void take_rows(const Array& a, const Array& index, Array& out) override;
  void scatter_rows(Array& out, const Array& index, const Array& values, bool accumulate) override;
  void fill(Array& out, Scalar value) override;
  void run(const Program& program) override;
  void apply(const BlockFunction& f, std::span<const Array* const> in, std::span<Array* const> out,
             Dtype compute) override;
  void fold(const BlockFunction& map, const BlockFold& fold, std::span<const Array* const> in, Array& out,
            Dtype compute) override;
  void scan(Scan op, const Array& a, int axis, Array& out) override;
  void rows_dot(const Array& x, const Array& w, const Array& index, Array& out) override;
  void rows_combine(const Array& g, const Array& w, const Array& index, Array& out) override;
  void rows_scatter(const Array& g, const Array& x, const Array& index, Array& out) override;
  void standardize(const Array& x, double eps, Array& y, Array& rstd) override;
  void standardize_grad(const Array& gy, const Array& y, const Array& rstd, Array& gx) override;
  void lstm(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, Array& c,
            Array& h) override;
  void lstm_grad(const LstmCells& cells, std::span<const Array> x, std::span<const Array> c_prev, const Array& c,
                 const Array& gc, const Array& gh, std::span<Array> gx, std::span<Array> gc_prev) override;
  void gru(const Array& x, const Array& hx, const Array& h_prev, Array& h) override;
  void gru_grad(const Array& x, const Array& hx, const Array& h_prev, const Array& gh, Array& gx, Array& ghx,
                Array& gh_prev) override;
  void update(Update op, Array& param, const Array& grad, std::span<Array> states,
              std::span<const double> hyper) override;
  void update_all(std::span<UpdatePass> passes) override;
  void launch_text(const TextLaunch& launch) override {
    if (!on_host_) refuse("a kernel written as text");
    real_.launch_text(launch);
  }
  void random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) override;
  void softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) override;
  void convolution(const ConvolutionCall& call) override;
  void pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position) override;
  void moments(const Array& x, Array& mean, Array& squares) override;
  bool device_to_device(void* to, int to_index, const void* from, int from_index, std::size_t bytes) override {
    refuse("bytes are copied between devices");
    return real_.device_to_device(to, to_index, from, from_index, bytes);
  }
  Array constant(Scalar value, Dtype dtype, const Device& device) override;
  std::unique_ptr<CapturedWork> capture(int index, const std::function<void()>& work) override {
    return real_.capture(index, work);
  }
  std::string group_key(int index) override { return real_.group_key(index); }
  std::unique_ptr<DeviceGroup> join_group(int index, const std::string& key, int rank, int size) override {
    return real_.join_group(index, key, rank, size);
  }
  void batch_factors(BatchFactors& f) override;
  void batch_gradients(const Array& gy, const Array& x, const Array& average, const Array& rstd, const Array& gamma,
                       Array& gx, Array& ggamma, Array& gbeta) override;
  void moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along) override;
  void centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                            const Array& c, Array& gx) override;
  int64_t invert(Array& matrices) override;
  void determinants(Array& matrices, Array& out) override;
  void svd(const Array& a, Array& u, Array& s, Array& vt) override;
  void gemm_bias(const Array& a, const Array& b, const Array& bias, Array& out) override;
  void check_indices(const IndexCheck& check, const Array& index, Array& out) override;
  bool argsort(const Array& rows, Array& order) override;
  void scatter_largest(Array& out, const Array& index, const Array& values) override;
  bool roi_argmax(const Array& pixels, int64_t h, int64_t w, const Array& rois, int64_t out_h, int64_t out_w,
                  double spatial_scale, Array& at) override;
  bool roi_align_argmax(const Array& pixels, const Array& around, const Array& weights, const Array& starts,
                        Array& at) override;
  bool ctc_forward(const CtcPaths& paths, const Array& x, Array& alphas, Array& totals) override;
  void ctc_backward(const CtcPaths& paths, const Array& x, const Array& alphas, const Array& totals,
                    const Array& weights, Array& gx) override;
  bool coo_multiply(const Array& data, const Array& row, const Array& col, const Array& x, Array& c) override;
  bool coo_sampled(const Array& g, const Array& row, const Array& col, const Array& x, Array& out) override;
  bool cumprod_grad(const Array& x, const Array& y, const Array& gy, Array& gx, int64_t outer, int64_t n,
                    int64_t inner) override;
  bool fourier(const Array& re, const Array& im, bool inverse, double scale, Array& yr, Array& yi) override;
  bool recurrent_spaces(const RecurrentLayer& layer, int index, RecurrentSpaces& spaces) override {
    return real_.recurrent_spaces(layer, index, spaces);
  }
  void copy_all(std::span<const Array> from, std::span<Array> to) override;
  void recurrent_layer(const RecurrentLayer& layer, std::span<const Array> in, std::span<Array> out) override;
  void recurrent_layer_grad(const RecurrentLayer& layer, std::span<const Array> in, std::span<Array> out) override;

 private:
  using Call = std::function<void(Array* const*)>;
  // Executes the call and records a step whose arrays are `reads`, then `writes`. `repeats` means that the results
  // depend only on the operands: if those are few numbers written by the host, no step is recorded and the results
  // count as such numbers, too.
  void perform(const char* name, std::span<const Array* const> reads, std::span<Array* const> writes, Call call,
               bool repeats = true);
  // As perform(), for entries that may leave the work to the host: returns the result of the call, and refuses the
  // recording if it is false.
  bool attempt(const char* name, std::span<const Array* const> reads, std::span<Array* const> writes,
               std::function<bool(Array* const*)> call);
  // Executes `compute` if it only derives numbers from few numbers written by the host; returns false otherwise.
  bool of_numbers(std::span<const Array* const> reads, std::span<Array* const> writes,
                  const std::function<void()>& compute);
  // Returns true if the array holds only few numbers written by the host, or (if `written`) is new memory for such.
  bool is_number(const Array& a, bool written) const;
  // Refuses an array whose elements are unknown, if a step is about to modify it.
  void expect_known(const Array& a);
  bool stays(const ArrayBody& owner) const;
  // Returns the operand of the phase for an array; -1 if the recording is refused.
  int operand(ArrayBody& b, bool write);
  int slot_of(ArrayBody& b);
  int new_slot(ArrayBody& owner, Slot::Kind kind);
  int constant(ArrayBody& owner);
  void hand_out(const ArrayBody& owner);
  const std::vector<Step>& steps() const { return (outer_ ? outer_ : this)->phase_->steps; }

  friend Backend& active_backend(Backend& real);
  friend class Computing;
  struct OfHost {};
  // For the host's computations while another device is recorded: they derive numbers from numbers.
  Recorder(Recorder& of_device, OfHost);

  Backend& real_;
  const Device device_;
  const bool on_host_;
  Recorder* outer_ = nullptr;          // of the device, if this one is OfHost
  std::unique_ptr<Recorder> numbers_;  // OfHost
  Tape& tape_;
  Phase* phase_ = nullptr;
  const uint32_t number_;
  int depth_ = 0;            // greater than 0 inside of steps
  bool in_program_ = false;  // while looking up the operands of a program
  std::string refused_;
  struct Bound {
    int slot;
    Array array;
  };
  std::unordered_map<const ArrayBody*, Bound> bound_;      // by owner
  std::unordered_map<int, std::vector<int>> operands_of_;  // of the phase, by slot
};

}  // namespace chainer::recording
