// The arguments of class templates.
#pragma once

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Type.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace fairway::frontend {

/// The argument that is a type; a null type for others.
clang::QualType type_argument(const clang::ClassTemplateSpecializationDecl& record, unsigned index);
/// The argument that is an integer; empty for others.
std::optional<std::int64_t> number_argument(const clang::ClassTemplateSpecializationDecl& record,
                                            unsigned index);
/// What a `std::chrono::time_point` counts, as a fraction of seconds: 86400 / 1 for days.
std::optional<std::pair<std::int64_t, std::int64_t>> period_of(
    const clang::ClassTemplateSpecializationDecl& time_point);
/// The characters of the first argument, an object whose first member is an array; empty for
/// others.
std::optional<std::string> text_argument(const clang::ClassTemplateSpecializationDecl& record);
/// The characters of a member of an argument that is an object, up to the first that is 0; empty if
/// the member is no array of them.
std::optional<std::string> text_member(const clang::TemplateParamObjectDecl& object,
                                       unsigned index);

}  // namespace fairway::frontend
