// Queries for the types and functions of the framework.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Type.h>
#include <clang/AST/TypeLoc.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>

namespace fairway::frontend {

/// How many variables are followed from a name to what it stands for: `const auto b = a;`.
constexpr int kMaxNames = 16;

/// The class of a type or of a reference to it; null for anything else.
const clang::CXXRecordDecl* record_of(clang::QualType type);
/// Whether `declaration` is in the outermost namespace `name` or in one inside it.
bool is_in_namespace(const clang::Decl& declaration, llvm::StringRef name);
bool is_framework_type(clang::QualType type);
/// The definition of a class of the framework; null if the file does not include it.
const clang::CXXRecordDecl* framework_class(clang::ASTContext& ast, llvm::StringRef name);
/// `fw::Json` and its parts.
bool is_json_type(clang::QualType type);
bool is_std_type(clang::QualType type, std::initializer_list<llvm::StringRef> names);
bool is_lambda_type(clang::QualType type);
/// "fw::Router"; empty for types that are not classes.
std::string qualified_type_name(clang::QualType type);
/// `fw::Router`, a reference or a pointer to it.
bool is_router(clang::QualType type);
/// A pointer to a member function of `fw::Router`.
bool is_router_member_pointer(clang::QualType type);

/// A type in the source: of an alias, the type that it was declared with.
clang::TypeLoc without_aliases(clang::TypeLoc written);
/// The type that is the template argument at `index` in the source; null if it is not known.
clang::TypeLoc written_argument(clang::TypeLoc written, unsigned index);

// member_use.cpp: A use of an object's member. Also works in templates and near errors, where Clang
// has less information.

/// `object.name(arguments)`; `object[key]` has the name "[]".
struct MemberUse {
  const clang::Expr* object = nullptr;
  std::string name;
  llvm::SmallVector<const clang::Expr*, 2> arguments;
};

/// Empty if `node` is not such a call.
std::optional<MemberUse> member_use(const clang::Stmt& node);

/// The qualified name of the function that is called, "" if it has none. Overloads have one name.
std::string called_name(const clang::Expr& callee);
/// The function that is called; null if its arguments decide which of several it is, and their
/// types are not known.
const clang::FunctionDecl* called_function(const clang::CallExpr& call);

/// Whether another function may be executed instead: a virtual one that is not final.
bool may_be_overridden(const clang::FunctionDecl& function);

/// Whether a call with as many arguments may call the function.
bool takes(const clang::FunctionDecl& function, std::size_t arguments);

/// For a specialisation of a template, the function in the source; otherwise the function itself.
const clang::FunctionDecl& pattern_of(const clang::FunctionDecl& function);

/// Whether a range of names has this one.
template <class Names>
bool is_one_of(const Names& names, llvm::StringRef name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace fairway::frontend
