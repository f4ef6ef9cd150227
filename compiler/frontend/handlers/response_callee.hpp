// The functions and lambdas that are visited where a handler calls them: `send_user(res, 404)`.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <optional>
#include <utility>
#include <vector>

#include "frontend/handlers/held_response.hpp"
#include "frontend/handlers/response_use.hpp"
#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// A function whose body is visited where it is called.
struct ResponseCallee {
  const clang::FunctionDecl* function = nullptr;  ///< as it is defined
  const clang::Stmt* body = nullptr;
  HeldResponse self = {};  ///< of the object whose function it is
  /// Parameters, and what they have of the response.
  std::vector<std::pair<const clang::ParmVarDecl*, HeldResponse>> names = {};
  /// Parameters that may be statuses, or strings such as media types.
  std::vector<std::pair<const clang::ParmVarDecl*, const clang::Expr*>> values = {};
};

/// A function as it is defined, if its body is read and complete, and the same for each compiler.
std::optional<ResponseCallee> read_function(const FileContext& context,
                                            const clang::FunctionDecl& function);
/// A call of a lambda or of an object that has the response, or one that has the response or a
/// lambda as an argument, and whose body is read. Empty for other calls.
std::optional<ResponseCallee> callee_of(const FileContext& context, const ResponseUse& use,
                                        const clang::CallExpr& call);
/// A constructor that has the response as an argument, and whose body is read.
std::optional<ResponseCallee> callee_of(const FileContext& context, const ResponseUse& use,
                                        const clang::CXXConstructExpr& construct);

/// Whether all that objects of the class do with their members is in functions that are called.
bool is_followed(const clang::CXXRecordDecl& type);

/// What the object has whose function is called.
HeldResponse object_of_call(const ResponseUse& use, const clang::CallExpr& call);

/// The classes of the lambdas that a value is or is derived from: a lambda, `overloaded{…}`. Empty
/// for other values.
llvm::SmallVector<const clang::CXXRecordDecl*, 1> lambdas_of(clang::QualType type);
bool has_lambdas(const clang::Expr& expression);

/// Lambdas, or functions of an object, that a function of the standard library calls before it
/// returns: `std::visit`.
struct LambdaCallees {
  enum class Calls { once, perhaps, any_number };

  Calls calls = Calls::once;
  const clang::Expr* argument = nullptr;  ///< in which the lambdas are
  /// The functions of the lambdas, of which each time one is called.
  std::vector<const clang::CXXMethodDecl*> functions = {};
};

/// Empty if the call is none of such a function, or if the body of a lambda is not known.
std::optional<LambdaCallees> lambda_callees_of(const FileContext& context,
                                               const clang::CallExpr& call);
/// The same for an object that has the response: `std::visit(Visitor{res, 404}, error)`.
std::optional<LambdaCallees> visitor_callees_of(const FileContext& context, const ResponseUse& use,
                                                const clang::CallExpr& call);

}  // namespace fairway::frontend
