// The types of a handler's parameters and of its result.
#pragma once

#include <clang/AST/Decl.h>

#include <string>

#include "frontend/handlers/handler_type.hpp"
#include "frontend/tree/registration_call.hpp"
#include "frontend/types/type_reader.hpp"
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

/// Whether it is the name of a template such as "fw::Body".
bool is_input_template(llvm::StringRef name);
/// Reads `fw::Body<T>` and its like, and the result. Reports types that have no form in JSON.
model::Signature handler_signature(FileContext& context, TypeReader& types,
                                   const HandlerType& handler);

}  // namespace fairway::frontend
