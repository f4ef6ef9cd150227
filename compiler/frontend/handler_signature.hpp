// The types of a handler's parameters and of its result.
#pragma once

#include <clang/AST/Decl.h>

#include <string>

#include "frontend/registration_call.hpp"
#include "frontend/type_reader.hpp"
#include "model/cpp_type.hpp"

namespace fairway::frontend {

/// The parameter of a handler that is the request; null if there is none.
const clang::ParmVarDecl* request_parameter(const clang::FunctionDecl& handler);
/// The parameter that is the response; null if there is none.
const clang::ParmVarDecl* response_parameter(const clang::FunctionDecl& handler);
/// The parameter that is the socket; null if there is none.
const clang::ParmVarDecl* socket_parameter(const clang::FunctionDecl& handler);

/// "fw::Body" for a parameter of that kind, also by reference; empty for a type that no handler
/// takes.
std::string kind_of_parameter(clang::QualType type);

/// Reports a handler of a socket that does not take the request and the socket, or that returns
/// something. Returns whether it reported nothing.
bool check_socket_handler(FileContext& context, const RegistrationCall& call);

/// Reports an argument that is no handler, and parameters that a handler cannot have. Returns
/// whether it reported nothing.
bool check_handler(FileContext& context, const RegistrationCall& call);

/// Reads `fw::Body<T>` and its like, and the result. Reports types that have no form in JSON.
model::Signature handler_signature(FileContext& context, TypeReader& types,
                                   const clang::FunctionDecl& handler);

}  // namespace fairway::frontend
