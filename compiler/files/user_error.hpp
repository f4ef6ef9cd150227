// Errors that the user of the command can fix.
#pragma once

#include <stdexcept>

namespace fairway {

/// The base class of exceptions whose messages are written for the user and say how to fix the
/// error. Any other exception that ends a command is an internal error.
class UserError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace fairway
