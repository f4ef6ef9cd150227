// Strings and numbers.
#include <clang/Basic/TargetInfo.h>
#include <fmt/format.h>

#include <utility>

#include "base/utf8.hpp"
#include "frontend/compilers/differing_tokens.hpp"
#include "frontend/tree/template_arguments.hpp"
#include "frontend/values/static_context.hpp"

namespace fairway::frontend::statics {
namespace {

constexpr std::size_t kMaxTrackedBytes = 4096;

enum class Evaluation { unknown, known, too_large };

/// The value of `e` in its type, evaluated by Clang.
Evaluation evaluate(Value& value, const clang::Expr& e, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (e.isValueDependent() || !e.EvaluateAsRValue(result, context)) return Evaluation::unknown;
  if (result.HasSideEffects) return Evaluation::unknown;
  if (result.Val.isInt()) {
    const llvm::APSInt& number = result.Val.getInt();
    if (!number.isRepresentableByInt64()) return Evaluation::too_large;
    value.integer = number.getExtValue();
    return Evaluation::known;
  }
  if (result.Val.isFloat()) {
    value.number = result.Val.getFloat().convertToDouble();
    return Evaluation::known;
  }
  return Evaluation::unknown;
}

Result too_large(Context& c, const clang::Expr& e) {
  return not_static(c, e, "an integer above 9223372036854775807");
}

/// Null if the literal has the same value in the program.
const DifferingToken* differing_token(const Context& c, const clang::Expr& literal) {
  return differing_token_in(c.differing_tokens, c.at.sources(), literal.getSourceRange());
}

Result differs(Context& c, const clang::Expr& literal, const DifferingToken& token) {
  not_static(c, literal, fmt::format("'{}', which has another value in the program", token.macro));
  c.reasons.back().range = c.at.used(literal.getSourceRange());
  c.reasons.back().help = token.help;
  return std::nullopt;
}

Result text(Context& c, const clang::Expr& e, std::string characters) {
  if (characters.find('\0') != std::string::npos) {
    return not_static(c, e, "a string with a NUL character");
  }
  if (!fw::base::count_code_points(characters).well_formed) {
    return not_static(c, e, "a string that is not UTF-8");
  }
  Value value;
  value.kind = Value::Kind::string;
  value.text = std::move(characters);
  return value;
}

}  // namespace

Result string(Context& c, const clang::StringLiteral& literal) {
  if (literal.getCharByteWidth() != 1) return not_static(c, literal, "a string of wide characters");
  if (const DifferingToken* token = differing_token(c, literal)) return differs(c, literal, *token);
  auto value = text(c, literal, literal.getString().str());
  if (value && value->text.size() <= kMaxTrackedBytes) {
    const auto& target = c.ast.getTargetInfo();
    for (unsigned index = 0; index < value->text.size(); ++index) {
      value->bytes.push_back(
          c.at.byte(literal.getLocationOfByte(index, c.at.sources(), c.at.language(), target)));
    }
  }
  return value;
}

std::optional<Result> text_of_argument(Context& c, const clang::MemberExpr& member) {
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(member.getMemberDecl());
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(without_wrappers(member.getBase()));
  const auto* object = reference == nullptr
                           ? nullptr
                           : llvm::dyn_cast<clang::TemplateParamObjectDecl>(reference->getDecl());
  if (field == nullptr || object == nullptr) return std::nullopt;
  auto characters = text_member(*object, field->getFieldIndex());
  if (!characters) return std::nullopt;
  return text(c, member, *std::move(characters));
}

Result integer(Context& c, const clang::IntegerLiteral& literal) {
  if (const DifferingToken* token = differing_token(c, literal)) return differs(c, literal, *token);
  const llvm::APInt& magnitude = literal.getValue();
  if (magnitude.getActiveBits() > 63) return too_large(c, literal);
  Value value;
  value.kind = Value::Kind::integer;
  value.integer = static_cast<std::int64_t>(magnitude.getZExtValue());
  return value;
}

Result operation(Context& c, const clang::UnaryOperator& unary) {
  const clang::Expr* operand = unary.getSubExpr()->IgnoreParenImpCasts();
  const bool is_literal = llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral>(operand);
  const bool is_sign = unary.getOpcode() == clang::UO_Minus || unary.getOpcode() == clang::UO_Plus;
  if (!is_literal || !is_sign) return not_static(c, unary, describe(unary));
  auto value = resolve(c, *operand);
  if (value && unary.getOpcode() == clang::UO_Minus) {
    value->integer = -value->integer;
    value->number = -value->number;
  }
  if (value) value->range = c.at.of(unary);
  return value;
}

Result zero(clang::QualType type) {
  Value value;
  if (type->isArithmeticType() || type->isEnumeralType()) value.kind = Value::Kind::integer;
  return value;
}

Result enumerator(Context& c, const clang::Expr& use, const clang::EnumConstantDecl& declaration) {
  const llvm::APSInt& number = declaration.getInitVal();
  if (!number.isRepresentableByInt64()) return too_large(c, use);
  Value value;
  value.kind = Value::Kind::integer;
  value.integer = number.getExtValue();
  return value;
}

Result convert(Context& c, Value value, const clang::Expr& expression) {
  using Kind = Value::Kind;
  const bool is_number =
      value.kind == Kind::boolean || value.kind == Kind::integer || value.kind == Kind::number;
  const clang::QualType type = expression.getType();
  if (!is_number || type.isNull() || expression.isTypeDependent()) return value;
  if (!type->isArithmeticType() && !type->isEnumeralType()) return value;
  const double as_number = value.kind == Kind::boolean   ? static_cast<double>(value.boolean)
                           : value.kind == Kind::integer ? static_cast<double>(value.integer)
                                                         : value.number;
  const Kind from = value.kind;
  Value evaluated = value;
  const Evaluation evaluation = evaluate(evaluated, expression, c.ast);
  if (evaluation == Evaluation::too_large) return too_large(c, expression);
  const bool known = evaluation == Evaluation::known;
  if (type->isRealFloatingType()) {
    value.kind = Kind::number;
    value.number = known ? evaluated.number : as_number;
  } else if (from != Kind::number || known) {
    const std::int64_t whole = known                   ? evaluated.integer
                               : from == Kind::boolean ? static_cast<std::int64_t>(value.boolean)
                                                       : value.integer;
    value.kind = type->isBooleanType() ? Kind::boolean : Kind::integer;
    value.boolean = whole != 0;
    value.integer = type->isBooleanType() ? 0 : whole;
  }
  return value;
}

}  // namespace fairway::frontend::statics
