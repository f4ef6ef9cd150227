// Durations of std::chrono, in milliseconds.
#include <clang/AST/DeclTemplate.h>
#include <llvm/Support/MathExtras.h>

#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_context.hpp"

namespace fairway::frontend::statics {
namespace {

/// The length of a tick in seconds, as a fraction.
struct Ratio {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};

std::optional<Ratio> duration_ratio(clang::QualType type) {
  const auto* record =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record_of(type));
  if (record == nullptr || record->getName() != "duration" || !is_in_namespace(*record, "std")) {
    return std::nullopt;
  }
  const auto& arguments = record->getTemplateArgs();
  if (arguments.size() != 2) return std::nullopt;
  const auto* ratio = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      arguments[1].getAsType()->getAsCXXRecordDecl());
  if (ratio == nullptr || ratio->getTemplateArgs().size() != 2) return std::nullopt;
  return Ratio{ratio->getTemplateArgs()[0].getAsIntegral().getExtValue(),
               ratio->getTemplateArgs()[1].getAsIntegral().getExtValue()};
}

/// Rounds towards zero, like duration_cast. Empty if the value is out of range.
Result in_milliseconds(const Value& count, const Ratio& ratio) {
  Value value;
  value.kind = Value::Kind::integer;
  if (count.kind == Value::Kind::number) {
    const double exact = count.number * static_cast<double>(ratio.numerator) * 1000 /
                         static_cast<double>(ratio.denominator);
    constexpr double kLimit = 9e18;
    if (!(exact > -kLimit && exact < kLimit)) return std::nullopt;
    value.integer = static_cast<std::int64_t>(exact);
    return value;
  }
  std::int64_t scaled = 0;
  if (llvm::MulOverflow(count.integer, ratio.numerator, scaled) ||
      llvm::MulOverflow(scaled, std::int64_t{1000}, scaled)) {
    return std::nullopt;
  }
  value.integer = scaled / ratio.denominator;
  return value;
}

}  // namespace

bool is_duration(clang::QualType type) { return duration_ratio(type).has_value(); }

Result user_defined_literal(Context& c, const clang::UserDefinedLiteral& literal) {
  const auto ratio = duration_ratio(literal.getType());
  clang::Expr::EvalResult result;
  if (ratio && literal.EvaluateAsRValue(result, c.ast) && result.Val.isStruct() &&
      result.Val.getStructNumFields() == 1) {
    const clang::APValue& field = result.Val.getStructField(0);
    Value count;
    if (field.isInt()) {
      count.kind = Value::Kind::integer;
      count.integer = field.getInt().getExtValue();
      if (auto value = in_milliseconds(count, *ratio)) return value;
    } else if (field.isFloat()) {
      llvm::APFloat number = field.getFloat();
      bool exact = true;
      number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &exact);
      count.kind = Value::Kind::number;
      count.number = number.convertToDouble();
      if (auto value = in_milliseconds(count, *ratio)) return value;
    }
  }
  const auto* text =
      literal.getNumArgs() == 0
          ? nullptr
          : llvm::dyn_cast<clang::StringLiteral>(literal.getArg(0)->IgnoreParenImpCasts());
  const clang::FunctionDecl* callee = literal.getDirectCallee();
  if (text != nullptr && callee != nullptr && callee->isInStdNamespace() &&
      is_std_type(literal.getType(), {"basic_string", "basic_string_view"})) {
    return string(c, *text);
  }
  return not_static(c, literal, "a user-defined literal");
}

Result duration(Context& c, const clang::Expr& e) {
  const clang::Expr* inner = &e;
  if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(inner)) inner = cast->getSubExpr();
  inner = inner->IgnoreParenImpCasts();
  if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(inner)) {
    inner = temporary->getSubExpr();
  }
  if (inner != &e && c.ast.hasSameUnqualifiedType(inner->getType(), e.getType())) {
    return resolve(c, *inner);
  }
  if (const auto* made = llvm::dyn_cast<clang::CallExpr>(inner)) return call(c, *made);
  const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(inner);
  const unsigned count = construct == nullptr ? 0 : construct->getNumArgs();
  if (count == 0 || llvm::isa<clang::CXXDefaultArgExpr>(construct->getArg(0))) {
    return not_static(c, e, "a duration without a count");
  }
  const clang::Expr& argument = *construct->getArg(0);
  auto value = resolve(c, argument);
  if (!value || is_duration(argument.getType())) return value;
  if (value->kind != Value::Kind::integer && value->kind != Value::Kind::number) {
    return not_static(c, e, "a duration whose count is not a number");
  }
  auto converted = in_milliseconds(*value, *duration_ratio(e.getType()));
  if (!converted) return not_static(c, e, "a duration that is too long");
  converted->range = c.at.of(e);
  return converted;
}

}  // namespace fairway::frontend::statics
