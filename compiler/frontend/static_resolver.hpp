// Resolves one static value; see static_value.hpp for what that is used for. One source file per
// family of expressions: static_value (entry, wrappers), static_literals, static_names,
// static_structures, static_durations, static_calls, static_refusals.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/static_value.hpp"
#include "frontend/unit.hpp"
#include "model/value.hpp"

namespace fairway::frontend {

class StaticResolver {
 public:
  StaticResolver(Unit& unit, Purpose purpose, std::string_view method, std::string_view route)
      : unit_(unit), purpose_(purpose), method_(method), route_(route) {}

  /// Nothing, and a diagnostic, when `expression` is not static.
  std::optional<model::Value> resolve(const clang::Expr& expression);

  /// Whether members of the options that it returned are left out, since they are not static.
  bool lacks_members() const { return lacks_members_; }

 private:
  using Value = model::Value;
  using Result = std::optional<model::Value>;

  Result dispatch(const clang::Expr& e);

  Result string(const clang::StringLiteral& literal);
  Result integer(const clang::IntegerLiteral& literal);
  Result operation(const clang::UnaryOperator& unary);
  Result zero(clang::QualType type);
  /// Conversions between numbers, as the program makes them.
  void convert(Value& value, const clang::Expr& expression) const;

  Result constant(const clang::Expr& use, const clang::ValueDecl& declaration);
  Result initialiser_of(const clang::Expr& use, const clang::VarDecl& variable);

  Result braces(const clang::InitListExpr& list);
  Result aggregate(const clang::InitListExpr& list, const clang::CXXRecordDecl& record);
  Result construction(const clang::CXXConstructExpr& construct);
  Result without_arguments(const clang::CXXConstructExpr& construct,
                           const clang::CXXRecordDecl& record);
  Result from_one(const clang::CXXConstructExpr& construct, const clang::Expr& argument);
  Result string_of(const clang::Expr& argument);
  Value called(std::string builder, Value argument, const clang::Expr& e);
  bool designators_in_order(const clang::InitListExpr& list);
  model::Range designator_range(const clang::InitListExpr& list, const clang::FieldDecl& field);
  /// Resolves every expression, so that all faults of one list are reported.
  template <class Expressions>
  Result append(Value list, const Expressions& expressions) {
    bool complete = true;
    for (const clang::Expr* expression : expressions) {
      if (auto item = resolve(*expression)) {
        list.items.push_back(std::move(*item));
      } else {
        complete = false;
      }
    }
    if (!complete) return std::nullopt;
    return list;
  }

  Result user_defined_literal(const clang::UserDefinedLiteral& literal);
  Result duration(const clang::Expr& e);

  Result call(const clang::CallExpr& call);
  Result member_call(const clang::CXXMemberCallExpr& call);
  Result builder(const clang::CallExpr& call, std::string name);
  Result with_purpose(Purpose purpose, const clang::Expr& argument);

  Result refuse(const clang::Expr& e, const std::string& why,
                const clang::VarDecl* variable = nullptr);
  Result helper(const clang::CallExpr& call, const clang::NamedDecl* callee);
  Result misuse(const clang::Expr& e, const std::string& what,
                const clang::VarDecl* variable = nullptr);
  Result conversion(const clang::Expr& e);
  /// "a value of the type 'std::vector<int>'"
  std::string describe_type(clang::QualType type) const;
  model::Diagnostic& report(std::string id, const clang::Expr& e, std::string message);
  void note_definition(model::Diagnostic& diagnostic, const clang::NamedDecl& declaration);

  Unit& unit_;
  Purpose purpose_;
  std::string_view method_;
  std::string_view route_;
  std::set<const clang::VarDecl*> visiting_;
  bool lacks_members_ = false;
};

/// What kind of expression `e` is, for a message.
std::string describe(const clang::Expr& e);
/// The function or callable object that a call names; null when it names none.
const clang::NamedDecl* called_name(const clang::CallExpr& call);
/// "a call of 'name'".
std::string describe_call(const clang::NamedDecl* callee);
bool is_duration(clang::QualType type);
/// A value of kind `function`.
model::Value function_value();
/// Whether `e` is certainly an empty `std::function` or a null pointer.
bool is_empty_callable(const clang::Expr& e);

}  // namespace fairway::frontend
