#include "frontend/tree/type_names.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/Basic/CharInfo.h>
#include <clang/Basic/TargetInfo.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Support/raw_ostream.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "frontend/tree/template_arguments.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// The arguments of a parameter pack, or the argument itself.
llvm::ArrayRef<clang::TemplateArgument> unpacked(const clang::TemplateArgument& argument) {
  if (argument.getKind() == clang::TemplateArgument::Pack) return argument.pack_elements();
  return argument;
}

/// Whether a class template with a parameter pack is part of the name of a type.
bool has_parameter_pack(clang::QualType type) {
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (special == nullptr) return false;
  return llvm::any_of(special->getTemplateArgs().asArray(), [](const auto& argument) {
    return argument.getKind() == clang::TemplateArgument::Pack ||
           (argument.getKind() == clang::TemplateArgument::Type &&
            has_parameter_pack(argument.getAsType()));
  });
}

/// "Date", "DateTime" and others, by what the `std::chrono::time_point` counts.
std::string name_of_time(const clang::ClassTemplateSpecializationDecl& time_point) {
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> kUnits = {
      {{86400, "Date"}, {3600, "DateTimeHours"}, {60, "DateTimeMinutes"}, {1, "DateTime"}}};
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 3> kParts = {
      {{1000, "DateTimeMilli"}, {1000000, "DateTimeMicro"}, {1000000000, "DateTimeNano"}}};
  const auto ratio = period_of(time_point);
  if (!ratio) return "DateTime";
  const auto [count, parts] = *ratio;
  for (const auto& [unit, name] : kUnits) {
    if (parts == 1 && count == unit) return std::string(name);
  }
  for (const auto& [part, name] : kParts) {
    if (count == 1 && parts == part) return std::string(name);
  }
  return fmt::format("DateTime{}_{}", count, parts);
}

/// Whether it is `std::int64_t` or `std::uint64_t`.
bool is_64_bits(const FileContext& context, clang::QualType type) {
  const bool is_long = context.ast.getTargetInfo().getInt64Type() == clang::TargetInfo::SignedLong;
  const auto* builtin = type->getAs<clang::BuiltinType>();
  if (builtin == nullptr) return false;
  const auto kind = builtin->getKind();
  return is_long ? kind == clang::BuiltinType::Long || kind == clang::BuiltinType::ULong
                 : kind == clang::BuiltinType::LongLong || kind == clang::BuiltinType::ULongLong;
}

/// Of a type whose own name depends on the standard library or on the platform; empty for others.
std::string name_of_library_type(const FileContext& context, clang::QualType type) {
  if (is_std_type(type, {"basic_string"})) return "string";
  if (is_json_type(type)) return "Json";
  if (is_64_bits(context, type)) return type->isSignedIntegerType() ? "Int64" : "Uint64";
  const auto* special =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (special == nullptr) return {};
  if (special->getName() == "time_point" && is_in_namespace(*special, "std")) {
    return name_of_time(*special);
  }
  // Its string makes it another type.
  const std::string qualified = qualified_type_name(type);
  const bool has_text = qualified == "fw::Field" || qualified == "fw::Literal";
  return has_text ? text_argument(*special).value_or("") : "";
}

}  // namespace

std::string tag_name(const clang::TagDecl& tag) {
  const clang::TypedefNameDecl* alias = tag.getTypedefNameForAnonDecl();
  return alias == nullptr ? tag.getNameAsString() : alias->getNameAsString();
}

std::string component_name(const FileContext& context, clang::QualType type) {
  const auto* record = type->getAsCXXRecordDecl();
  if (std::string name = name_of_library_type(context, type); !name.empty()) return name;
  std::string name = type->isEnumeralType() ? tag_name(*type->getAs<clang::EnumType>()->getDecl())
                     : record != nullptr    ? tag_name(*record)
                                            : shown(context, type);
  const auto* special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (special == nullptr) return name;
  for (const clang::TemplateArgument& written : special->getTemplateArgs().asArray()) {
    for (const clang::TemplateArgument& argument : unpacked(written)) {
      if (argument.getKind() == clang::TemplateArgument::Type) {
        // What the standard library adds.
        if (is_std_type(argument.getAsType(),
                        {"allocator", "less", "hash", "equal_to", "default_delete"})) {
          continue;
        }
        std::string part = component_name(context, argument.getAsType());
        for (char& c : part) {
          if (!clang::isAlphanumeric(static_cast<unsigned char>(c))) c = '_';
        }
        if (!part.empty()) part[0] = clang::toUppercase(part[0]);
        name += part;
      } else if (argument.getKind() == clang::TemplateArgument::Integral) {
        llvm::SmallString<16> digits;
        argument.getAsIntegral().toString(digits, 10);
        name += digits.str().str();
      }
    }
  }
  return name;
}

std::string cpp_name(const FileContext& context, clang::QualType type) {
  clang::PrintingPolicy policy(context.ast.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.SuppressTagKeyword = true;
  policy.Bool = true;
  // Clang does not qualify the names of a parameter pack, such as the arguments of std::variant.
  if (has_parameter_pack(type)) {
    const auto& special =
        *llvm::cast<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
    std::vector<std::string> arguments;
    for (const clang::TemplateArgument& argument : special.getTemplateArgs().asArray()) {
      for (const clang::TemplateArgument& each : unpacked(argument)) {
        llvm::raw_string_ostream text(arguments.emplace_back());
        if (each.getKind() == clang::TemplateArgument::Type) {
          // `cpp_name` drops qualifiers, such as the `const` of the key in a map's pairs.
          if (each.getAsType().isConstQualified()) text << "const ";
          text << cpp_name(context, each.getAsType());
        } else {
          each.print(policy, text, /*IncludeType=*/false);
        }
      }
    }
    std::string name;
    llvm::raw_string_ostream text(name);
    special.printQualifiedName(text, policy);
    return fmt::format("::{}<{}>", text.str(), fmt::join(arguments, ", "));
  }
  const std::string name = clang::TypeName::getFullyQualifiedName(
      type.getCanonicalType().getUnqualifiedType(), context.ast, policy,
      /*WithGlobalNsPrefix=*/true);
  // Clang leaves the prefix out for names of the global namespace.
  const bool is_named = type->isRecordType() || type->isEnumeralType();
  return is_named && !name.starts_with("::") ? "::" + name : name;
}

clang::PrintingPolicy plain_policy(const clang::ASTContext& ast) {
  clang::PrintingPolicy policy = ast.getPrintingPolicy();
  policy.SuppressUnwrittenScope = true;
  policy.AnonymousTagLocations = false;
  return policy;
}

std::string shown(const FileContext& context, clang::QualType type) {
  return type.getUnqualifiedType().getAsString(plain_policy(context.ast));
}

std::string header_of(const FileContext& context, const clang::TagDecl& tag) {
  const auto& sources = context.at.sources();
  const clang::SourceLocation location = sources.getExpansionLoc(tag.getLocation());
  if (sources.isInMainFile(location)) return {};
  const auto file = sources.getFileEntryRefForID(sources.getFileID(location));
  if (!file) return {};
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path =
      fs::weakly_canonical(fs::path(context.at.directory()) / file->getName().str(), error);
  return path.lexically_relative(context.source_dir).generic_string();
}

}  // namespace fairway::frontend
