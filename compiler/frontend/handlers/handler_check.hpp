// Checks the argument of a registration that is its handler.
#pragma once

#include "frontend/source/file_context.hpp"
#include "frontend/tree/registration_call.hpp"

namespace fairway::frontend {

/// Reports a handler of a socket that does not take the request and the socket, or that returns
/// something. Returns whether it reported nothing.
bool check_socket_handler(FileContext& context, const RegistrationCall& call);

/// Reports an argument that is no handler, and parameters that a handler cannot have. Returns
/// whether it reported nothing.
bool check_handler(FileContext& context, const RegistrationCall& call);

/// Reports a handler that returns nothing and cannot send a response: each request would be
/// status 500.
void check_handler_responds(FileContext& context, const RegistrationCall& call);

}  // namespace fairway::frontend
