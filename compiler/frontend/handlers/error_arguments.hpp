// What the arguments of `app.raise` and of constructors of error classes say: the statuses, codes
// and messages of errors, as far as they are constant.
//
//   app.raise(404, "No such order", "ORDER_NOT_FOUND");
//   throw ApiError(404, "ORDER_NOT_FOUND");  // as its constructor gives them to fw::HttpError
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/handlers/raise_options.hpp"
#include "frontend/source/file_context.hpp"
#include "model/sent_response.hpp"
#include "model/value.hpp"

namespace fairway::frontend {

/// The arguments in parentheses or braces of a construction whose constructor is not known.
llvm::SmallVector<const clang::Expr*, 4> arguments_of(
    const clang::CXXUnresolvedConstructExpr& construct);

/// The arguments of a variable, `ApiError error(404, body.name)`, whose constructor is not known;
/// empty for other initialisers.
std::optional<llvm::SmallVector<const clang::Expr*, 4>> unresolved_arguments(
    const clang::Expr& initialiser);

/// The constructor that `Type(arguments…)` calls; null if there is none.
const clang::CXXConstructorDecl* chosen_constructor(const FileContext& context,
                                                    clang::QualType type,
                                                    llvm::ArrayRef<const clang::Expr*> arguments);

/// The constructors that `Type(arguments…)` may call, own and inherited ones, without copies. The
/// types of the arguments need not be known.
llvm::SmallVector<const clang::CXXConstructorDecl*, 2> possible_constructors(
    const FileContext& context, const clang::CXXRecordDecl& type,
    llvm::ArrayRef<const clang::Expr*> arguments);

/// Reads arguments, and collects the errors.
class ErrorArguments {
 public:
  using Arguments = llvm::ArrayRef<const clang::Expr*>;

  explicit ErrorArguments(const FileContext& context) : context_(context) {}

  /// A function that is called with these arguments is read until `leave`: its parameters have
  /// their values. Null: not known.
  void enter(const clang::FunctionDecl& function, Arguments given);
  void leave() { bound_.pop_back(); }
  /// The numbers and strings that arguments are, "" for the others; empty if none is known.
  std::vector<std::string> constants(Arguments given) const;
  /// The constant arguments of the functions being read that contain the function, a lambda.
  std::vector<std::string> constants_around(const clang::FunctionDecl& function) const;
  /// How often the function is being read.
  std::size_t depth_of(const clang::FunctionDecl& function) const;

  /// Of `raise` and `fw::HttpError::from_key`. Returns false for any other function.
  bool raises(const std::string& function, Arguments arguments);
  /// Of the constructor of an error class.
  void construct(const clang::CXXConstructorDecl& constructor, Arguments given);
  /// Of a constructor of fw::HttpError.
  void http_error(Arguments arguments);
  /// Of a constructor of fw::ValidationError.
  void validation_error(Arguments arguments);
  /// Options that the function raises.
  void parameters(Arguments given, const clang::FunctionDecl& function);

  /// The errors since the last call, in the order in which they were read.
  std::vector<model::SentResponse> take() { return std::exchange(found_, {}); }

 private:
  void delegate(const clang::CXXConstructorDecl& constructor, Arguments given, int depth = 0);
  void delegate(RaiseMembers members, const clang::CXXConstructorDecl& constructor,
                Arguments given);
  void options(const clang::Expr& expression);
  void add_options(const RaiseMembers& members);
  const clang::Expr& bound(const clang::Expr& expression) const;
  std::vector<int> statuses_of(const clang::Expr& written) const;
  std::optional<model::Value> value_of(const clang::Expr& written) const;
  std::string description(const clang::Expr& written, int depth = 0) const;
  std::string text_of(const clang::Expr* expression) const;
  void add_key(const clang::Expr& key);
  void add(const std::vector<int>& statuses, const clang::Expr* message,
           std::initializer_list<const clang::Expr*> codes);

  const FileContext& context_;
  /// Functions that are read, and the arguments with which they are called: as far as they are
  /// known, these name no parameters of the functions before.
  std::vector<std::pair<const clang::FunctionDecl*, llvm::SmallVector<const clang::Expr*, 4>>>
      bound_;
  std::vector<model::SentResponse> found_;
};

}  // namespace fairway::frontend
