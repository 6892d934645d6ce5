// Records what one thread asks of the host's backend, as the steps of a Tape.
#pragma once
#include <string>
#include <unordered_map>

#include "chainer/array/backend.h"
#include "chainer/array/recording/step.h"
#include "chainer/array/recording/tape.h"

namespace chainer::recording {

/// Stands in front of the host's backend while a thread records, and writes down every call: operation, operands as
/// places in slots of memory, numbers. What a replay computes follows from the arrays that are bound, and from nothing
/// that was seen while recording. Where that cannot be had, the recording is refused, with the reason: when elements
/// are read through a pointer (a loop on the host, item()), when an array is read or written that was made before and
/// is not bound, at an optimizer's update, at random numbers of the Mersenne Twister, on another device. Loops on the
/// host that say what they read and write (step.h) are steps like others; what the host writes without reading anything
/// is a constant.
class Recorder final : public Backend {
 public:
  explicit Recorder(Tape& tape);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() override;

  /// A slot for an array that exists, an argument or a member of the phase that is recorded now, or comes to the tape
  /// next.
  int bind(const Array& a, bool member);
  /// Whether an array's memory has a slot already.
  bool knows(const Array& a) const;
  /// Asked about an array that is neither bound nor made while recording; it may bind it and return true.
  std::function<bool(const Array&)> unknown;
  /// Arrays that are neither arguments nor made while recording have the same elements in each replay: the host may
  /// read them.
  bool others_stay = false;

  /// This thread records a phase of the tape while this lives.
  class Scope {
   public:
    Scope(Recorder& r, Phase& phase);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    Recorder& recorder_;
    Recorder* outer_;
  };
  /// This thread's, or nullptr.
  static Recorder* current();
  /// While it lives, this thread computes without recording.
  class Pause {
   public:
    Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause();

   private:
    Recorder* paused_;
  };

  /// Says, inside of a scope, that the phase's run hands these arrays out.
  void finish(const Arrays& results);
  void refuse(std::string_view why);
  /// Why there is no recording; empty where there is one.
  const std::string& refused() const { return refused_; }
  /// How many arrays live that were made while recording, and were not handed out by finish().
  int64_t escaped() const;

  void record(const char* name, std::span<const Array> in, std::span<Array> out, HostStep f, bool pure);
  bool active() const { return depth_ == 0 && refused_.empty(); }

  // What the free functions of watch.h do on this thread.
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
  void host_to_device(void* to, const void* from, std::size_t bytes) override;
  void device_to_host(void* to, const void* from, std::size_t bytes) override;
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
  void random(RandomFill fill, uint64_t seed, uint64_t counter, double a, double b, Array& out) override;
  void softmax(bool log, const Array& a, int64_t outer, int64_t n, int64_t inner, Array& out) override;
  void convolution(Convolution op, const ConvolutionPlan& plan, const Array& a, const Array& b, const Array& bias,
                   Array& out, bool accumulate) override;
  void pooling(Pooling op, const PoolingPlan& plan, const Array& in, Array& out, Array* position) override;
  void moments(const Array& x, Array& mean, Array& squares) override;
  void moments_grad(const Array& gy, const Array& x, const Array& mean, Array& total, Array& along) override;
  void centered_combination(const Array& gy, const Array& x, const Array& mean, const Array& a, const Array& b,
                            const Array& c, Array& gx) override;
  int64_t invert(Array& matrices) override;
  void determinants(Array& matrices, Array& out) override;
  void svd(const Array& a, Array& u, Array& s, Array& vt) override;
  void check_indices(const IndexCheck& check, const Array& index, Array& out) override;

 private:
  using Call = std::function<void(Array* const*)>;
  // Computes now, and records a step whose arrays are `reads`, then `writes`. One that `repeats` gives the same for the
  // same operands: of few numbers that the host wrote it is no step, and its results are such numbers, too.
  void perform(const char* name, std::span<const Array* const> reads, std::span<Array* const> writes, Call call,
               bool repeats = true);
  // Computes now if that is nothing but numbers from few numbers that the host wrote; false if it is not.
  bool of_numbers(std::span<const Array* const> reads, std::span<Array* const> writes,
                  const std::function<void()>& compute);
  // Whether it is nothing but few numbers that the host wrote, or memory for such.
  bool is_number(const Array& a, bool written) const;
  // Of what a step changes instead of writing it anew.
  void expect_known(const Array& a);
  bool stays(const ArrayBody& owner) const;
  // The operand of the phase for an array; -1 where the recording is refused.
  int operand(ArrayBody& b, bool write);
  int slot_of(ArrayBody& b);
  int new_slot(ArrayBody& owner, Slot::Kind kind);
  int constant(ArrayBody& owner);
  void hand_out(const ArrayBody& owner);

  Backend& real_;
  Tape& tape_;
  Phase* phase_ = nullptr;
  const uint32_t number_;
  int depth_ = 0;            // inside of steps
  bool in_program_ = false;  // looks for the operands of one
  std::string refused_;
  struct Bound {
    int slot;
    Array array;
  };
  std::unordered_map<const ArrayBody*, Bound> bound_;      // by owner
  std::unordered_map<int, std::vector<int>> operands_of_;  // of the phase, by slot
};

}  // namespace chainer::recording
