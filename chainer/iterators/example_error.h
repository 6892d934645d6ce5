// Errors of single examples: of the class they had, with the example's index before their message.
#pragma once
#include <cstdint>
#include <exception>
#include <string>

namespace chainer::iterators {

/// A number for the class of the exception that is being handled, and its message.
int error_kind(std::string& message);
/// An exception of that class.
std::exception_ptr make_error(int kind, const std::string& message);
/// The exception that is being handled, for the example of this index; one of a class that is not ours stays as it is.
std::exception_ptr example_error(int64_t index);

}  // namespace chainer::iterators
