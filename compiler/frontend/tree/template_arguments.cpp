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

std::optional<std::string> text_argument(const clang::ClassTemplateSpecializationDecl& record) {
  const auto& arguments = record.getTemplateArgs();
  if (arguments.size() == 0 || arguments[0].getKind() != clang::TemplateArgument::Declaration) {
    return std::nullopt;
  }
  const auto* object = llvm::dyn_cast<clang::TemplateParamObjectDecl>(arguments[0].getAsDecl());
  if (object == nullptr || !object->getValue().isStruct()) return std::nullopt;
  const clang::APValue& value = object->getValue();
  if (value.getStructNumFields() == 0 || !value.getStructField(0).isArray()) return std::nullopt;
  const clang::APValue& characters = value.getStructField(0);
  std::string text;
  for (unsigned i = 0; i < characters.getArrayInitializedElts(); ++i) {
    const auto character = characters.getArrayInitializedElt(i).getInt().getZExtValue();
    if (character == 0) break;
    text += static_cast<char>(character);
  }
  return text;
}

}  // namespace fairway::frontend
