// SPDX-License-Identifier: MIT
// Prints triggers, iterators, schedules and optimizers with random options as lines of Python, with the results of this
// library, for check_training.py: training_cases COUNT SEED
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "chainer/training/mock_updater.h"
#include "python_cases.h"

using namespace chainer;
using namespace chainer::training;
using namespace python_cases;

namespace {

class Cases : Draws {
 public:
  using Draws::Draws;
  void print() {
    switch (draw(4)) {
      case 0: return trigger();
      case 1: return iterator();
      case 2: return schedule();
      default: return optimizer();
    }
  }

 private:
  double between(double low, double high) {
    return std::round((low + (high - low) * random_.random_sample({}).item<double>()) * 1000) / 1000;
  }
  static std::string bracketed(const std::vector<double>& values) {
    std::string out = "[";
    for (double v : values) out += number(v) + ",";
    return out + "]";
  }

  struct Spoken {
    std::string python;
    std::function<Trigger()> make;
  };
  Spoken interval() {
    const bool epochs = once_in(2);
    const double period =
        epochs ? std::vector<double>{0.25, 0.4, 1, 1.5, 2}[static_cast<std::size_t>(draw(5))] : 1 + draw(7);
    const char* unit = epochs ? "epoch" : "iteration";
    return {text("(", number(period), ", '", unit, "')"), [=] { return Trigger(period, unit); }};
  }
  void trigger() {
    const int64_t per_epoch = 1 + draw(9), n = 10 + draw(30);
    std::vector<double> values;
    for (int64_t i = 0; i < n; ++i) values.push_back(once_in(6) ? std::nan("") : between(0, 4));  // NaN: not reported
    Spoken s;
    bool has_state = true;
    switch (draw(4)) {
      case 0: {
        const Spoken i = interval();
        s = {"triggers.IntervalTrigger" + i.python, i.make};
        break;
      }
      case 1: {
        std::vector<double> points;
        for (int i = draw(4); i >= 0; --i) points.push_back(once_in(2) ? between(0, 10) : draw(20));
        const char* unit = once_in(2) ? "epoch" : "iteration";
        s = {text("triggers.ManualScheduleTrigger(", bracketed(points), ", '", unit, "')"),
             [=] { return Trigger(triggers::ManualScheduleTrigger(points, unit)); }};
        break;
      }
      case 2: {
        values[0] = 1;  // an interval without a report is an error in both
        for (double& v : values) v = std::isnan(v) ? 2 : v;
        const Spoken i = interval();
        const bool most = once_in(2);
        s = {text("triggers.", most ? "Max" : "Min", "ValueTrigger('value', ", i.python, ")"), [=]() -> Trigger {
               if (most) return triggers::MaxValueTrigger("value", i.make());
               return triggers::MinValueTrigger("value", i.make());
             }};
        break;
      }
      default: {
        for (double& v : values) v = std::isnan(v) ? 2 : v;
        has_state = false;  // the release does not save it
        const Spoken check = interval();
        const int64_t patients = 1 + draw(4), length = 5 + draw(40);
        const int mode = draw(3);
        const char* const modes[] = {"auto", "max", "min"};
        s = {text("triggers.EarlyStoppingTrigger(", check.python, ", 'value', ", patients, ", '", modes[mode],
                  "', max_trigger=(", length, ", 'iteration'))"),
             [=] {
               return Trigger(triggers::EarlyStoppingTrigger({.check_trigger = check.make(),
                                                              .monitor = "value",
                                                              .patients = patients,
                                                              .mode = static_cast<triggers::EarlyStoppingMode>(mode),
                                                              .max_trigger = {length, "iteration"}}));
             }};
      }
    }
    // After some iterations a new trigger replaces the old one, with or without its state.
    const int64_t cut = has_state && once_in(2) ? 1 + draw(static_cast<int>(n) - 1) : 0;
    const bool saved = cut > 0 && once_in(2) && s.python.find("Value") == s.python.npos;
    const bool lacking = cut > 0 && !saved && s.python.find("Value") == s.python.npos;
    chainer::testing::MockUpdater updater;
    updater.iterations_per_epoch = per_epoch;
    Trainer trainer(updater, {1, "iteration"});
    Trigger t = s.make();
    std::string fired = "[";
    for (int64_t i = 1; i <= n; ++i) {
      updater.update();
      trainer.observation.clear();
      const double v = values[static_cast<std::size_t>(i - 1)];
      if (!std::isnan(v)) trainer.observation.insert_or_assign("value", v);
      if (t(trainer)) fired += text(i, ",");
      if (i != cut || (!saved && !lacking)) continue;
      serializers::DictionarySerializer out;
      if (saved) t.serialize(out);
      t = s.make();
      serializers::NpzDeserializer in(
          std::make_shared<const serializers::NpzFile>(serializers::npz_bytes(out.target()), "memory"));
      t.serialize(in);
    }
    std::printf("check('trigger', lambda: %s, %lld, %s, %lld, %s, %s])\n", s.python.c_str(),
                static_cast<long long>(per_epoch), bracketed(values).c_str(),
                static_cast<long long>(saved || lacking ? cut : 0), truth(saved).c_str(), fired.c_str());
  }

  void iterator() {
    // The release returns short batches if the batch size exceeds the dataset.
    const int64_t n = 1 + draw(12), batch = 1 + draw(static_cast<int>(n));
    const bool repeat = !once_in(3), shuffle = once_in(2);
    const uint32_t seed = static_cast<uint32_t>(draw(1000));
    struct Numbers : Dataset {
      int64_t n;
      explicit Numbers(int64_t n) : n(n) {}
      int64_t size() const override { return n; }
      Example get(int64_t i) const override { return array(i); }
    };
    random::seed(seed);
    std::unique_ptr<Iterator> it;
    const bool threads = once_in(2);
    const iterators::IteratorOptions options{.repeat = repeat, .shuffle = shuffle};
    if (threads)
      it = std::make_unique<iterators::MultithreadIterator>(Numbers(n), batch, options);
    else
      it = std::make_unique<iterators::SerialIterator>(Numbers(n), batch, options);
    std::string seen = "[";
    for (int step = 0; step < 8; ++step) {
      const auto examples = it->try_next();
      if (!examples) {
        seen += "None,";
        continue;
      }
      seen += "([";
      for (const Example& e : *examples) seen += text(e[0].item<int64_t>(), ",");
      seen += text("],", it->epoch(), ",", truth(it->is_new_epoch()), ",", number(it->epoch_detail()), ",",
                   number(*it->previous_epoch_detail()), "),");
    }
    std::printf("check('iterator', iterators.%s, %lld, %lld, %s, %s, %u, %s])\n",
                threads ? "MultithreadIterator" : "SerialIterator", static_cast<long long>(n),
                static_cast<long long>(batch), truth(repeat).c_str(), truth(shuffle).c_str(), seed, seen.c_str());
  }

  void schedule() {
    using namespace extensions;
    const double lr = between(.1, 2), a = between(0, 1), init = between(.1, 2),
                 target = between(0, .1);  // these schedules fall; for a larger target the release jumps to it
    const bool has_init = once_in(2), has_target = once_in(2);
    ShiftOptions o;
    if (has_init) o.init = init;
    if (has_target) o.target = target;
    const std::string more =
        (has_init ? ", init=" + number(init) : "") + (has_target ? ", target=" + number(target) : "");
    std::shared_ptr<Extension> e;
    std::string python;
    const auto n = static_cast<int64_t>(1 + draw(6));
    switch (draw(7)) {
      case 0:
        e = std::make_shared<ExponentialShift>("lr", a, o), python = text("ExponentialShift('lr', ", a, more, ")");
        break;
      case 1:
        e = std::make_shared<InverseShift>("lr", a, target, o),
        python = text("InverseShift('lr', ", a, ", ", target, more, ")");
        break;
      case 2:
        e = std::make_shared<LinearShift>("lr", std::pair(init, target), std::pair<double, double>(n, n + 3)),
        python = text("LinearShift('lr', (", init, ", ", target, "), (", n, ", ", n + 3, "))");
        break;
      case 3:
        e = std::make_shared<MultistepShift>("lr", a, std::vector<int64_t>{n, n + 2}, init),
        python = text("MultistepShift('lr', ", a, ", [", n, ", ", n + 2, "], ", init, ")");
        break;
      case 4:
        e = std::make_shared<PolynomialShift>("lr", 1 + a, static_cast<double>(n), o),
        python = text("PolynomialShift('lr', ", 1 + a, ", ", n, more, ")");
        break;
      case 5:
        e = std::make_shared<WarmupShift>("lr", a, n, init),
        python = text("WarmupShift('lr', ", a, ", ", n, ", ", init, ")");
        break;
      default: e = std::make_shared<StepShift>("lr", a, n, o), python = text("StepShift('lr', ", a, ", ", n, more, ")");
    }
    chainer::testing::MockUpdater updater;
    updater.optimizer.set("lr", lr);
    Trainer trainer(updater, {1, "iteration"});
    e->initialize(trainer);
    std::vector<double> seen{updater.optimizer.get("lr")};
    for (int i = 0; i < 9; ++i) {
      (*e)(trainer);
      seen.push_back(updater.optimizer.get("lr"));
    }
    std::printf("check('schedule', lambda: extensions.%s, %s, %s)\n", python.c_str(), number(lr).c_str(),
                bracketed(seen).c_str());
  }

  void optimizer() {
    namespace O = optimizers;
    const double lr = between(.01, .5), b = between(.5, .99), c = between(.5, .999), decay = between(0, .2);
    const bool flag = once_in(2);
    std::unique_ptr<GradientMethod> o;
    std::string python;
    switch (draw(11)) {
      case 0:
        o = std::make_unique<O::AdaDelta>(O::AdaDeltaOptions{b, 1e-4}), python = text("AdaDelta(", b, ", 1e-4)");
        break;
      case 1:
        o = std::make_unique<O::AdaGrad>(O::AdaGradOptions{lr, 1e-6}), python = text("AdaGrad(", lr, ", 1e-6)");
        break;
      case 2:
        o = std::make_unique<O::Adam>(O::AdamOptions{lr, b, c, 1e-6, .5, decay, flag}),
        python = text("Adam(", lr, ", ", b, ", ", c, ", 1e-6, .5, ", decay, ", ", truth(flag), ")");
        break;
      case 3:
        o = std::make_unique<O::CorrectedMomentumSGD>(O::MomentumOptions{lr, b}),
        python = text("CorrectedMomentumSGD(", lr, ", ", b, ")");
        break;
      case 4:
        o = std::make_unique<O::MomentumSGD>(O::MomentumOptions{lr, b}),
        python = text("MomentumSGD(", lr, ", ", b, ")");
        break;
      case 5:
        o = std::make_unique<O::NesterovAG>(O::MomentumOptions{lr, b}), python = text("NesterovAG(", lr, ", ", b, ")");
        break;
      case 6:
        o = std::make_unique<O::MSVAG>(O::MSVAGOptions{lr, b, .5, decay}),
        python = text("MSVAG(", lr, ", ", b, ", .5, ", decay, ")");
        break;
      case 7:
        o = std::make_unique<O::RMSprop>(O::RMSpropOptions{lr, b, 1e-6, flag}),
        python = text("RMSprop(", lr, ", ", b, ", 1e-6, ", truth(flag), ")");
        break;
      case 8:
        o = std::make_unique<O::RMSpropGraves>(O::RMSpropGravesOptions{lr, b, c, 1e-4}),
        python = text("RMSpropGraves(", lr, ", ", b, ", ", c, ", 1e-4)");
        break;
      case 9: o = std::make_unique<O::SGD>(O::SGDOptions{lr}), python = text("SGD(", lr, ")"); break;
      default:
        o = std::make_unique<O::SMORMS3>(O::SMORMS3Options{lr, 1e-12}), python = text("SMORMS3(", lr, ", 1e-12)");
    }
    const Array start = random_.randn({4}), slopes = random_.randn({6, 4});
    L::Bias link(0, Shape{4});
    link.params()[0].set_array(start.copy());
    o->setup_link(link);
    std::string hooks = "[";
    namespace h = optimizer_hooks;
    const auto hook = [&](std::shared_ptr<optimizer::Hook> one, const std::string& words) {
      if (!once_in(3)) return;
      o->add_hook(std::move(one));
      hooks += words + ",";
    };
    hook(std::make_shared<h::WeightDecay>(decay), text("optimizer_hooks.WeightDecay(", decay, ")"));
    hook(std::make_shared<h::Lasso>(decay), text("optimizer_hooks.Lasso(", decay, ")"));
    hook(std::make_shared<h::GradientClipping>(lr), text("optimizer_hooks.GradientClipping(", lr, ")"));
    hook(std::make_shared<h::GradientHardClipping>(-b, lr),
         text("optimizer_hooks.GradientHardClipping(", -b, ", ", lr, ")"));
    hook(std::make_shared<h::GradientLARS>(lr, decay), text("optimizer_hooks.GradientLARS(", lr, ", ", decay, ")"));
    for (int64_t i = 0; i < len(slopes); ++i) {
      link.params()[0].set_grad(slopes[i].copy());
      o->update();
    }
    std::printf("check('optimizer', lambda: optimizers.%s, %s], %s, %s, %s)\n", python.c_str(), hooks.c_str(),
                list(start).c_str(), list(slopes).c_str(), list(link.params()[0].array()).c_str());
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "training_cases COUNT SEED\n"), 2;
  Cases cases(static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10)));
  for (long i = std::strtol(argv[1], nullptr, 10); i > 0; --i) cases.print();
}
