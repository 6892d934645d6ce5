// SPDX-License-Identifier: MIT
#include "python/core/errors.h"

#include <cstdio>

#include "chainer/autograd/type_check.h"

namespace chainer::python {

namespace {

// Sets an error of one of the classes of chainer.utils.type_check.
void raise_invalid_type(const std::string& expect, const std::string& actual, const char* text,
                        const char* name = "InvalidType") {
  try {
    const nb::object c = nb::module_::import_("chainer.utils.type_check").attr(name);
    PyErr_SetObject(c.ptr(), c(expect, actual, text).ptr());
  } catch (nb::python_error& failed) { failed.restore(); }
}

void raise_of(const char* name, const char* text) {
  try {
    PyErr_SetString(nb::module_::import_("chainer.utils.type_check").attr(name).ptr(), text);
  } catch (nb::python_error& failed) { failed.restore(); }
}

// The sentence that the release's message has for a picture that no window fits on.
std::string side_without_window(std::string_view said) {
  const std::size_t at = said.find("_2d: no window fits: input (");
  long long height = 0, kernel = 0, pad = 0;
  if (at == said.npos || std::sscanf(std::string(said.substr(at)).c_str(),
                                     "_2d: no window fits: input (%lld, %*d), ksize (%lld, %*d), stride (%*d, %*d), "
                                     "pad (%lld, %*d)",
                                     &height, &kernel, &pad) != 3)
    return {};
  return std::string("\n") + (height + 2 * pad < kernel ? "Height" : "Width") + " in the output should be positive.";
}

// The release detects an axis out of range in its type checks, and a wrong label as a wrong value.
void raise_index_error(const char* text) {
  const std::string_view t = text;
  if (t.find("axis") != t.npos && t.find("is out of bounds for an array") != t.npos)
    return raise_invalid_type("axes within the array's", text, text, "InvalidAxis");
  if (t.find("too many indices") != t.npos)
    return raise_invalid_type("as many axes as indices", text, text, "InvalidAxis");
  if (t.find("single ellipsis") != t.npos) return raise_of("InvalidEllipsis", text);
  if (t.find(": label ") != t.npos && t.find("black_out") != 0) return raise_of("InvalidIndex", text);
  PyErr_SetString(PyExc_IndexError, text);
}

// The release detects mismatched shapes in type checks, too, and sizes of windows by assertions.
void raise_value_error(const char* text) {
  const std::string_view t = text;
  if (t.find("einsum: label") == 0 && t.find("stands for lengths") != t.npos)
    return raise_invalid_type("one length for each label", text, text);
  for (const char* said : {": no window fits", "give no output", "has no position on an input",
                           "does not fit into an image", "does not give the input"})
    if (t.find(said) != t.npos)
      return raise_invalid_type("a size that gives an output", text,
                                (std::string(text) + side_without_window(t)).c_str(), "InvalidSize");
  if (t.find(" 0 sections do not divide") != t.npos)
    return raise_invalid_type("a positive number of sections", text, text, "InvalidStep");
  for (const char* said :
       {"cannot be broadcast", "sections do not divide", "positions must ascend", "a and b do not fit",
        ": one number or ", "only one may be -1", "numbers in axis must ascend", "cost must be a square matrix",
        ": at least one variable is needed", ": at least one array is needed", " indices for an axis of length "})
    if (t.find(said) != t.npos) return raise_invalid_type("shapes that fit together", text, text, "InvalidSize");
  for (const char* name :
       {"bias: y of shape", "scale: y of shape", "pad_sequence: ", "transpose_sequence: ", "average: weights of shape",
        "rollaxis: start ", "upsampling_2d: indexes must", "linear: n_batch_axes ", "linear: all axes of x"})
    if (t.find(name) == 0) return raise_invalid_type("shapes that fit together", text, text, "InvalidSize");
  if (t.find("permutate: index ") == 0) return raise_of("InvalidIndex", text);
  if (t.find("must be positive") != t.npos)
    return raise_invalid_type("positive sizes and steps", text, text, "InvalidStep");
  if (t.find("matmul: shapes") == 0) return raise_invalid_type("shapes that can be broadcast", text, text);
  PyErr_SetString(PyExc_ValueError, text);
}

}  // namespace

void raise_in_python(const std::exception_ptr& p) {
  try {
    std::rethrow_exception(p);
  } catch (const InvalidType& e) {
    // In the release NumPy detects the mismatch.
    const bool by_numpy =
        std::string_view(e.what()).find("in: deformable_convolution_2d_sampler") != std::string_view::npos;
    raise_invalid_type(e.expect(), e.actual(), e.what(), by_numpy ? "InvalidSize" : "InvalidType");
  } catch (const TypeError& e) { PyErr_SetString(PyExc_TypeError, e.what()); } catch (const IndexError& e) {
    raise_index_error(e.what());
  } catch (const KeyError& e) { PyErr_SetString(PyExc_KeyError, e.what()); } catch (const NotImplementedError& e) {
    PyErr_SetString(PyExc_NotImplementedError, e.what());
  } catch (const ValueError& e) { raise_value_error(e.what()); } catch (const MemoryError& e) {
    PyErr_SetString(PyExc_MemoryError, e.what());
  } catch (const FileError& e) { PyErr_SetString(PyExc_OSError, e.what()); } catch (const Error& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) { raise_in_python(p); });
}

}  // namespace chainer::python
