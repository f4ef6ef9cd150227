#include "frontend/values/static_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/compilers/compiler_conditions.hpp"
#include "frontend/values/static_context.hpp"

namespace fairway::frontend {
namespace statics {
namespace {

Result dispatch(Context& c, const clang::Expr& e) {
  if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(&e)) return string(c, *literal);
  if (const auto* literal = llvm::dyn_cast<clang::IntegerLiteral>(&e)) return integer(c, *literal);
  if (const auto* literal = llvm::dyn_cast<clang::CharacterLiteral>(&e)) {
    Value value;
    value.kind = Value::Kind::integer;
    value.integer = literal->getValue();
    return value;
  }
  if (const auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(&e)) {
    Value value;
    value.kind = Value::Kind::number;
    value.number = literal->getValueAsApproximateDouble();
    return value;
  }
  if (const auto* literal = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(&e)) {
    Value value;
    value.kind = Value::Kind::boolean;
    value.boolean = literal->getValue();
    return value;
  }
  if (llvm::isa<clang::CXXNullPtrLiteralExpr>(e)) return Value{};
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) return operation(c, *unary);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    return constant(c, e, *reference->getDecl());
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
    if (auto text = text_of_argument(c, *member)) return *std::move(text);
    return constant(c, e, *member->getMemberDecl());
  }
  if (const auto* literal = llvm::dyn_cast<clang::UserDefinedLiteral>(&e)) {
    return user_defined_literal(c, *literal);
  }
  if (is_duration(e.getType())) return duration(c, e);
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&e)) return braces(c, *list);
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    return construction(c, *construct);
  }
  if (const auto* made = llvm::dyn_cast<clang::CallExpr>(&e)) return call(c, *made);
  if (llvm::isa<clang::CXXScalarValueInitExpr, clang::ImplicitValueInitExpr>(e)) {
    return zero(e.getType());
  }
  if (llvm::isa<clang::CastExpr>(e)) return foreign_conversion(c, e);
  return not_static(c, e, describe(e));
}

}  // namespace

Result resolve(Context& c, const clang::Expr& expression) {
  const clang::Expr& inner = *without_wrappers(&expression);
  if (inner.containsErrors() && llvm::isa<clang::RecoveryExpr>(inner)) return std::nullopt;
  Result value = is_callable(inner.getType()) ? Result(callable(expression)) : dispatch(c, inner);
  if (!value) return std::nullopt;
  if (value->range.line == 0) value->range = c.at.of(expression);
  return convert(c, *std::move(value), expression);
}

}  // namespace statics

namespace {

/// An error in `const auto x = …` that two routes use is reported once; the second use only adds
/// its notes.
void report(FileContext& context, model::Diagnostics reasons, std::string_view method,
            std::string_view route) {
  for (model::Diagnostic& reason : reasons) {
    const auto first = std::ranges::find_if(context.file.diagnostics, [&](const auto& earlier) {
      return earlier.id == reason.id && earlier.range == reason.range &&
             earlier.message == reason.message;
    });
    if (first == context.file.diagnostics.end()) {
      reason.method = method;
      reason.route = route;
      context.file.diagnostics.push_back(std::move(reason));
      continue;
    }
    for (model::Note& note : reason.notes) {
      const bool is_known = std::ranges::any_of(first->notes, [&](const model::Note& each) {
        return each.message == note.message && each.range == note.range;
      });
      if (!is_known) first->notes.push_back(std::move(note));
    }
  }
}

/// Adds the reason why a value that Clang knows may be another one in the program; false if there
/// is one.
bool is_independent(const FileContext& context, const clang::Expr& expression,
                    statics::Context& evaluation) {
  if (context.is_gcc) return true;
  const Dependence found = dependence_of(context, expression);
  if (found.condition == nullptr) return true;
  // The literal is a reason already.
  if (is_token(context, *found.condition) && !evaluation.reasons.empty()) return true;
  const std::size_t before = evaluation.reasons.size();
  statics::not_static(evaluation, expression,
                      fmt::format("the value depends on '{}', which differs between the route "
                                  "compiler and the compiler of the program",
                                  found.condition->macro));
  if (evaluation.reasons.size() == before) return false;
  model::Diagnostic& reason = evaluation.reasons.back();
  reason.range = context.at.used(found.use);
  reason.help = found.condition->help;
  reason.notes.push_back(note_of(context, found));
  return false;
}

}  // namespace

StaticValue evaluate(const FileContext& context, const clang::Expr& expression, Purpose purpose) {
  static const std::vector<DifferingToken> none;
  statics::Context evaluation{.ast = context.ast,
                              .at = context.at,
                              .differing_tokens = context.is_gcc ? none : context.differing_tokens,
                              .purpose = purpose,
                              .types = context.types};
  StaticValue result;
  result.value = statics::resolve(evaluation, expression);
  if (result.value && !is_independent(context, expression, evaluation)) result.value.reset();
  result.is_complete = result.value.has_value() && !evaluation.lacks_members;
  result.reasons = std::move(evaluation.reasons);
  return result;
}

std::optional<model::Value> resolve_static(FileContext& context, const clang::Expr& expression,
                                           Purpose purpose, std::string_view method,
                                           std::string_view route) {
  StaticValue result = evaluate(context, expression, purpose);
  report(context, std::move(result.reasons), method, route);
  return std::move(result.value);
}

StaticOptions resolve_options(FileContext& context, const clang::Expr& expression,
                              std::string_view method, std::string_view route) {
  StaticValue result = evaluate(context, expression, Purpose::options);
  report(context, std::move(result.reasons), method, route);
  return {std::move(result.value), result.is_complete};
}

}  // namespace fairway::frontend
