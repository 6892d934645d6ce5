// SPDX-License-Identifier: MIT
// Extensions of the library for trainers of Python.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>

#include <unistd.h>

#include <cstdio>

#include "chainer/training/extensions/dashboard.h"
#include "chainer/training/extensions/html_report.h"
#include "chainer/training/extensions/live.h"
#include "chainer/training/extensions/tensorboard.h"
#include "chainer/training/extensions/trace.h"
#include "chainer/viewing/plot/figure.h"
#include "chainer/viewing/plot/matrix.h"
#include "chainer/viewing/report/run.h"
#include "python/core/casters.h"
#include "python/core/python_trainer.h"

namespace chainer::python {
namespace {

namespace cx = training::extensions;
using Texts = std::map<std::string, std::string>;

training::Trigger trigger_of(nb::object trigger) {
  return training::Trigger(std::make_shared<PythonTrigger>(std::move(trigger)));
}

// An extension, and the trainer that it was initialized with.
class Extension {
 public:
  explicit Extension(std::shared_ptr<training::Extension> extension) : extension_(std::move(extension)) {}
  void initialize(nb::handle trainer) {
    auto before = std::move(trainer_);  // until the extension knows the new one
    trainer_ = std::make_unique<PythonTrainer>(trainer);
    const Unlocked unlocked(true);
    extension_->initialize(*trainer_);
  }
  void run() {
    if (!trainer_) throw RuntimeError("an extension was called before its initialize()");
    trainer_->refresh();
    const Unlocked unlocked(true);
    (*extension_)(*trainer_);
  }
  void finalize() {
    const Unlocked unlocked(true);
    extension_->finalize();
  }
  void serialize(nb::object serializer, Flag loading) {
    PythonSerializer s(std::move(serializer), loading);
    extension_->serialize(s);
  }
  const std::shared_ptr<training::Extension>& extension() const { return extension_; }

 private:
  std::shared_ptr<training::Extension> extension_;
  std::unique_ptr<PythonTrainer> trainer_;
};

// Numbers, booleans, and the texts of other objects.
std::map<std::string, tensorboard::Value> hyperparameters(const nb::dict& values) {
  std::map<std::string, tensorboard::Value> out;
  for (const auto& [name, value] : values) {
    Scalar number = 0.;
    tensorboard::Value v;
    if (PyBool_Check(value.ptr()))
      v = value.ptr() == Py_True;
    else if (load_scalar(value.ptr(), number))
      v = number.to<double>();
    else
      v = nb::cast<std::string>(nb::str(value));
    out.emplace(nb::cast<std::string>(nb::str(name)), std::move(v));
  }
  return out;
}

template <class E>
const E& as(const Extension& e) {
  return dynamic_cast<const E&>(*e.extension());
}

// A file, closed after the Dashboard that writes to it is destroyed.
struct Output {
  explicit Output(std::FILE* f) : file(f) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { std::fclose(file); }
  std::FILE* file;
};
struct FileDashboard : Output, cx::Dashboard {
  FileDashboard(std::FILE* f, const cx::DashboardOptions& options) : Output(f), cx::Dashboard(options) {}
};

void bind_tensorboard(nb::module_& m) {
  using tensorboard::Writer;
  nb::class_<Writer>(m, "TensorBoardWriter")
      .def(
          "__init__",
          [](Writer* self, const std::filesystem::path& folder, std::optional<int64_t> purge_step, double seconds) {
            new (self) Writer(folder, {.purge_step = purge_step, .flush_seconds = seconds});
          },
          "folder"_a, "purge_step"_a.none(), "flush_seconds"_a)
      .def("scalar", &Writer::scalar, "tag"_a, "value"_a, "step"_a)
      .def("histogram", &Writer::histogram, "tag"_a, "values"_a, "step"_a, "bins"_a)
      .def("image", &Writer::image, "tag"_a, "picture"_a, "step"_a)
      .def("text", &Writer::text, "tag"_a, "markdown"_a, "step"_a)
      .def(
          "hparams",
          [](Writer& self, const nb::dict& values, const std::vector<std::string>& metrics) {
            self.hparams(hyperparameters(values), metrics);
          },
          "values"_a, "metrics"_a)
      .def(
          "graph",
          [](Writer& self, const Variables& outputs, const nb::dict& models) {
            std::map<std::string, std::shared_ptr<PythonLink>> links;
            std::map<std::string, const Link*> named;
            for (const auto& [prefix, model] : models) {
              auto link = std::make_shared<PythonLink>(nb::borrow<nb::object>(model));
              named.emplace(nb::cast<std::string>(prefix), link.get());
              links.emplace(nb::cast<std::string>(prefix), std::move(link));
            }
            self.graph(outputs, named);
          },
          "outputs"_a, "models"_a)
      .def("flush", &Writer::flush)
      .def_prop_ro("path", [](const Writer& self) { return self.path(); });
}

}  // namespace

void bind_extensions(nb::module_& m) {
  bind_tensorboard(m);
  nb::class_<Extension>(m, "Extension")
      .def("initialize", &Extension::initialize, "trainer"_a)
      .def("run", &Extension::run)
      .def("finalize", &Extension::finalize)
      .def("serialize", &Extension::serialize, "serializer"_a, "loading"_a)
      .def_prop_ro("writer", [](const Extension& self) { return as<cx::TensorBoard>(self).kept_writer(); })
      .def_prop_ro("address", [](const Extension& self) { return as<cx::LivePage>(self).address(); })
      .def_prop_ro("token", [](const Extension& self) { return as<cx::LivePage>(self).token(); });
  m.def(
      "TensorBoard",
      [](const std::string& folder, nb::object scalars, nb::object histograms, const nb::dict& hparams,
         const std::vector<std::string>& metrics, Flag graph) {
        return Extension(
            std::make_shared<cx::TensorBoard>(cx::TensorBoardOptions{.folder = folder,
                                                                     .scalars = trigger_of(std::move(scalars)),
                                                                     .histograms = trigger_of(std::move(histograms)),
                                                                     .hparams = hyperparameters(hparams),
                                                                     .metrics = metrics,
                                                                     .graph = graph}));
      },
      "folder"_a, "scalars"_a, "histograms"_a, "hparams"_a, "metrics"_a, "graph"_a);
  m.def(
      "HtmlReport",
      [](const std::string& file, nb::object trigger, const Texts& arguments, const std::string& summary,
         int64_t profiled) {
        return Extension(
            std::make_shared<cx::HtmlReport>(cx::HtmlReportOptions{.file = file,
                                                                   .trigger = trigger_of(std::move(trigger)),
                                                                   .arguments = arguments,
                                                                   .summary = summary,
                                                                   .profiled = profiled}));
      },
      "file"_a, "trigger"_a, "arguments"_a, "summary"_a, "profiled"_a);
  m.def("CommandsExtension", [] { return Extension(std::make_shared<cx::CommandsExtension>()); });
  m.def(
      "LivePage",
      [](const std::string& host, int port, const Texts& args, const std::vector<std::string>& names) {
        return Extension(std::make_shared<cx::LivePage>(
            cx::LivePageOptions{.host = host, .port = port, .args = args, .names = names}));
      },
      "host"_a, "port"_a, "args"_a, "names"_a);
  m.def("live_page_available", &cx::LivePage::available);
  m.def(
      "SaveArguments", [](const Texts& arguments) { return Extension(std::make_shared<cx::SaveArguments>(arguments)); },
      "arguments"_a);
  m.def(
      "Trace",
      [](int64_t first, int64_t last, const std::string& file, int64_t most_events, Flag eager) {
        return Extension(std::make_shared<cx::Trace>(
            cx::TraceOptions{.first = first,
                             .last = last,
                             .file = file,
                             .hook = {.most_events = most_events, .eager = static_cast<bool>(eager)}}));
      },
      "first"_a, "last"_a, "file"_a, "most_events"_a, "eager"_a);
  m.def(
      "Dashboard",
      [](const std::vector<std::string>& columns, double interval, double line_interval, int descriptor) {
        std::FILE* const file = ::fdopen(::dup(descriptor), "w");
        if (!file) throw ValueError("Dashboard: the file descriptor ", descriptor, " cannot be written to");
        cx::DashboardOptions options{
            .columns = columns, .interval = interval, .line_interval = line_interval, .out = file};
        return Extension(std::make_shared<FileDashboard>(file, options));
      },
      "columns"_a, "interval"_a, "line_interval"_a, "descriptor"_a);
  m.def(
      "save_confusion_matrix",
      [](const Array& counts, const std::vector<std::string>& labels, const std::filesystem::path& file) {
        if (!plot::available(file.string())) return false;
        plot::save(plot::Matrix{.counts = counts, .labels = labels}, file);
        return true;
      },
      "counts"_a, "labels"_a, "file"_a);
  m.def(
      "report_page",
      [](const std::vector<std::filesystem::path>& folders) {
        std::vector<run_report::Run> runs;
        for (const std::filesystem::path& folder : folders) runs.push_back(run_report::read_run(folder));
        return run_report::page(runs);
      },
      "folders"_a);
}

}  // namespace chainer::python
