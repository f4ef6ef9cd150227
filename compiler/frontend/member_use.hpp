// A use of an object's member, whatever Clang knows about the object: in templates and beside
// errors it knows little.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>
#include <string>

namespace fairway::frontend {

/// `object.name(arguments)`; `object[key]` has the name "[]".
struct MemberUse {
  const clang::Expr* object = nullptr;
  std::string name;
  llvm::SmallVector<const clang::Expr*, 2> arguments;
};

/// Nothing when `node` itself is no such call.
std::optional<MemberUse> member_use(const clang::Stmt& node);

}  // namespace fairway::frontend
