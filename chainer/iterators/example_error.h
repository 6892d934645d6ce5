// SPDX-License-Identifier: MIT
// Errors of single examples: of the original class, with the index of the example at the beginning of the message.
#pragma once
#include <cstdint>
#include <exception>
#include <string>

namespace chainer::iterators {

/// Returns a number for the class of the exception that is being handled, and sets its message.
int error_kind(std::string& message);
/// Returns an exception of the class with this number.
std::exception_ptr make_error(int kind, const std::string& message);
/// Returns the exception that is being handled, with the index of the example in its message. An exception of a class
/// that is not the library's is nested in an Error (see std::rethrow_if_nested), except std::bad_alloc, which is
/// returned unchanged. An object of a class that users derived from one of the library's is returned itself, with the
/// index in its last line.
std::exception_ptr example_error(int64_t index);

}  // namespace chainer::iterators
