// Calls in statements that Clang drops.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// A call of a function of the main file in a statement that is missing in Clang's tree.
struct LostCall {
  clang::SourceLocation location;
  const clang::FunctionDecl* function = nullptr;
};

/// The calls that are missing in the body of a function, in source order:
///
///   res.json(find_task(id));    // a function of a namespace, unless a local name hides it
///   res.json(store.find(id));   // a member function, if the class of the object is known
///   res.json(Store::make(id));  // one that is named by its class
///
/// Overloaded functions with as many parameters are left out, because the types of the arguments
/// are not known. So are calls that are never run, `sizeof(find_task(id))`.
std::vector<LostCall> lost_calls(const FileContext& context, const clang::FunctionDecl& function,
                                 const clang::Stmt& body);

/// Whether Clang's tree lacks uses of the variable in the statement.
bool has_lost_uses(const FileContext& context, const clang::VarDecl& variable,
                   const clang::Stmt& body);

}  // namespace fairway::frontend
