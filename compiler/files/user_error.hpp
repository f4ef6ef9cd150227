// Errors that the user of the command can put right.
#pragma once

#include <stdexcept>

namespace fairway {

/// The base of every exception whose message is written for the user: it names the thing and the
/// remedy. A command that ends with any other exception has an internal error.
class UserError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace fairway
