#include "frontend/tree/template_arguments.hpp"

namespace fairway::frontend {

clang::QualType type_argument(const clang::ClassTemplateSpecializationDecl& record,
                              unsigned index) {
  const auto& arguments = record.getTemplateArgs();
  if (index >= arguments.size() || arguments[index].getKind() != clang::TemplateArgument::Type) {
    return {};
  }
  return arguments[index].getAsType();
}

std::optional<std::int64_t> number_argument(const clang::ClassTemplateSpecializationDecl& record,
                                            unsigned index) {
  const auto& arguments = record.getTemplateArgs();
  if (index >= arguments.size() ||
      arguments[index].getKind() != clang::TemplateArgument::Integral) {
    return std::nullopt;
  }
  const llvm::APSInt& value = arguments[index].getAsIntegral();
  if (!value.isRepresentableByInt64()) return std::nullopt;
  return value.getExtValue();
}

std::optional<std::pair<std::int64_t, std::int64_t>> period_of(
    const clang::ClassTemplateSpecializationDecl& time_point) {
  const auto special = [](const clang::ClassTemplateSpecializationDecl* record) {
    const clang::QualType type = record == nullptr ? clang::QualType() : type_argument(*record, 1);
    return type.isNull() ? nullptr
                         : llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
                               type->getAsCXXRecordDecl());
  };
  // Of its duration.
  const auto* ratio = special(special(&time_point));
  if (ratio == nullptr) return std::nullopt;
  const auto count = number_argument(*ratio, 0);
  const auto parts = number_argument(*ratio, 1);
  return count && parts ? std::optional(std::pair(*count, *parts)) : std::nullopt;
}

std::optional<std::string> text_argument(const clang::ClassTemplateSpecializationDecl& record) {
  const auto& arguments = record.getTemplateArgs();
  if (arguments.size() == 0 || arguments[0].getKind() != clang::TemplateArgument::Declaration) {
    return std::nullopt;
  }
  const auto* object = llvm::dyn_cast<clang::TemplateParamObjectDecl>(arguments[0].getAsDecl());
  return object == nullptr ? std::nullopt : text_member(*object, 0);
}

std::optional<std::string> text_member(const clang::TemplateParamObjectDecl& object,
                                       unsigned index) {
  const clang::APValue& value = object.getValue();
  if (!value.isStruct() || index >= value.getStructNumFields()) return std::nullopt;
  const clang::APValue& characters = value.getStructField(index);
  if (!characters.isArray() || characters.getArraySize() == 0) return std::nullopt;
  const bool has_elements = characters.getArrayInitializedElts() > 0;
  if (has_elements && !characters.getArrayInitializedElt(0).isInt()) return std::nullopt;
  std::string text;
  for (unsigned i = 0; i < characters.getArrayInitializedElts(); ++i) {
    const auto character = characters.getArrayInitializedElt(i).getInt().getZExtValue();
    if (character == 0) break;
    text += static_cast<char>(character);
  }
  return text;
}

}  // namespace fairway::frontend
