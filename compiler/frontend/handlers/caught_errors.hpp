// Exceptions that end in the function that raises them.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/StmtCXX.h>

#include <map>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Whether `catch` takes objects of the class as `fw::HttpError` or as `fw::ValidationError`.
bool is_error_class(const clang::CXXRecordDecl* type);

/// Whether the value is an object of an error class, or may have one.
bool is_object_of_error(const clang::Expr& expression);

/// A std::unique_ptr, std::shared_ptr or std::optional of an error class.
bool may_hold_error(clang::QualType type);

/// The expression that is used for an argument or a member without a value; null for other nodes.
const clang::Expr* default_of(const clang::Stmt& node);

/// Decides which exceptions `catch` ends. In doubt, it does not end one.
///
///   try { found(id); } catch (const ProductNotFound&) { res.json(nullptr); }  // ends it
///   try { found(id); } catch (const ProductNotFound&) { throw; }              // does not
class CaughtErrors {
 public:
  explicit CaughtErrors(const FileContext& context) : context_(context) {}

  /// Whether no exception of this class leaves the statement if its block raises it. Null: any
  /// class that is derived from `fw::HttpError`.
  bool ends(const clang::CXXTryStmt& attempt, const clang::CXXRecordDecl* type);

 private:
  bool ends(const clang::CXXCatchStmt& handler);

  const FileContext& context_;
  std::map<const clang::CXXCatchStmt*, bool> known_;
};

}  // namespace fairway::frontend
