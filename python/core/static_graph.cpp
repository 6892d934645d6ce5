// SPDX-License-Identifier: MIT
// Schedules of calls of Python code (chainer/graph_optimizations/schedule_manager.h), and code that replays repeat.
#include "chainer/array/recording/recorder.h"
#include "chainer/graph_optimizations/schedule_manager.h"
#include "chainer/graph_optimizations/static_code.h"
#include "python/core/calls.h"
#include "python/core/link_state.h"
#include "python/core/python_link.h"

namespace chainer::python {
namespace {

// A Python object that may be destroyed on a thread without the interpreter's lock.
std::shared_ptr<PyObject> kept(nb::handle o) {
  return {Py_NewRef(o.ptr()), [](PyObject* p) { give_up(p); }};
}

bool same(const Variable& a, const Variable& b) {
  return a && b && a.array().is(b.array()) && a.node_pointer() == b.node_pointer();
}

// A manager, and the parameters and persistent arrays of its link. It does not refer to the link, which refers to it.
class Manager {
 public:
  Manager(Flag minimize_cache_size, int verbosity_level, Flag enable_double_backprop, Flag force_test_define_by_run)
      : manager_({.force_test_define_by_run = force_test_define_by_run,
                  .minimize_cache_size = minimize_cache_size,
                  .verbosity_level = verbosity_level,
                  .enable_double_backprop = enable_double_backprop}) {}

  // Returns `f(variables)`, a list of Variables and an object that describes the results, recorded or replayed. `key`
  // are numbers that a replay depends on. The attributes of the link are those of set_state().
  nb::tuple call(const std::string& name, nb::object f, const nb::list& inputs, const std::vector<int64_t>& key) {
    Variables given;
    for (nb::handle x : inputs) given.push_back(*as_variable(x.ptr()));
    nb::object ran = nb::none();  // the results of f, if it ran
    const auto run = [&](const Variables& xs) {
      const nb::gil_scoped_acquire lock;
      nb::list arguments;
      for (std::size_t i = 0; i < xs.size(); ++i)
        arguments.append(same(xs[i], given[i]) ? nb::borrow(inputs[i]) : nb::steal(wrap(xs[i])));
      ran = f(arguments);
      if (!ran[1].is_none()) structure_ = kept(ran[1]);
      return flat(ran[0], "static_graph");
    };
    std::any structure = structure_;
    const auto run_and_keep = [&](const Variables& xs) {
      Variables out = run(xs);
      structure = structure_;
      return out;
    };
    Variables results;
    {
      const Unlocked unlocked(given);
      results = manager_.call(name.c_str(), run_and_keep, given, key, {&*members_}, &structure);
    }
    give_back();
    nb::list out;
    if (!ran.is_none()) {
      const Variables computed = flat(ran[0], "static_graph");
      bool unchanged = computed.size() == results.size();
      for (std::size_t i = 0; unchanged && i < results.size(); ++i) unchanged = same(computed[i], results[i]);
      if (unchanged) return nb::make_tuple(ran[0], ran[1]);
    }
    for (const Variable& y : results) {
      nb::object o = nb::steal(wrap(y));
      if (y.node_pointer()) remember(o.ptr());
      out.append(std::move(o));
    }
    const auto& known = std::any_cast<const std::shared_ptr<PyObject>&>(structure);
    return nb::make_tuple(out, known ? nb::borrow(nb::handle(known.get())) : nb::none());
  }
  // Returns true if the attributes of the link and its descendants are those of set_state().
  bool holds() {
    if (!state_.holds()) return false;
    members_->refresh_arrays();
    return true;
  }
  void set_state(nb::object link, const nb::list& links) {
    members_ = std::make_unique<PythonLink>(link);
    members_->detach();
    state_ = LinkState(links);
  }
  ScheduleManager& schedules() { return manager_; }

 private:
  ScheduleManager manager_;
  std::unique_ptr<PythonLink> members_;
  LinkState state_;
  std::shared_ptr<PyObject> structure_;
};

}  // namespace

void bind_static_graph(nb::module_& m) {
  nb::class_<Manager>(m, "ScheduleManager")
      .def(nb::init<Flag, int, Flag, Flag>(), "minimize_cache_size"_a, "verbosity_level"_a, "enable_double_backprop"_a,
           "force_test_define_by_run"_a)
      .def("call", &Manager::call, "name"_a, "f"_a, "inputs"_a, "key"_a)
      .def("holds", &Manager::holds)
      .def("set_state", &Manager::set_state, "link"_a, "links"_a)
      .def("end_forward", [](Manager& self) { self.schedules().end_forward(); })
      .def("refuse", [](Manager& self, const std::string& why) { self.schedules().refuse(why); })
      .def_prop_ro("refused", [](Manager& self) { return self.schedules().refused(); })
      .def("text", [](Manager& self) { return self.schedules().text(); })
      .def_prop_ro("counts", [](Manager& self) {
        const ScheduleManager::Counts c = self.schedules().counts();
        return nb::make_tuple(c.recorded, c.replayed, c.define_by_run);
      });
  m.def("is_recording", [] { return recording::any() && recording::here(); });
  m.def("refuse_recording", [](const std::string& why) {
    if (recording::any()) recording::refuse(why);
  });
  m.def(
      "run_code",
      [](nb::object f, const std::vector<Array>& inputs, const std::vector<Array>& outputs) {
        Arrays in, out;
        for (const Array& a : inputs) in.push_back(a);
        for (const Array& a : outputs) out.push_back(a);
        const auto code = [f = kept(f)](const Arrays& in, Arrays& out) -> Arrays {
          const nb::gil_scoped_acquire lock;
          nb::list ins, outs;
          for (const Array& a : in) ins.append(nb::steal(to_numpy(a)));
          for (const Array& a : out) outs.append(nb::steal(to_numpy(a)));
          const nb::object made = nb::handle(f.get())(ins, outs);
          for (Array& a : out) (void)a.mutable_raw();  // the library sees that it was written to
          Arrays results;
          for (nb::handle one : made) {
            In a;
            if (one.is_none() || as_variable(one.ptr()) || !load(one.ptr(), a))
              throw TypeError("static_code: the function must return arrays, not ",
                              nb::cast<std::string>(nb::str(one.type())));
            results.push_back(a.get().array());
          }
          return results;
        };
        const Arrays results = static_graphs::run_code(code, in, out);
        const recording::Recorder::Pause pause;  // the function's caller may hold the ndarrays, but not read them
        nb::list ndarrays;
        for (const Array& a : results) ndarrays.append(nb::steal(to_numpy(a)));
        return ndarrays;
      },
      "f"_a, "inputs"_a, "outputs"_a);
}

}  // namespace chainer::python
