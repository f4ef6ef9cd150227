#include "frontend/types/type_failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/tree/type_names.hpp"
#include "frontend/types/type_members.hpp"
#include "model/type_rules.hpp"

namespace fairway::frontend {
namespace {

/// The members above an error that have notes.
constexpr std::size_t kMaxNotes = 8;

}  // namespace

bool TypeFailures::add_description(const clang::NamedDecl& declaration, Json& schema) {
  const clang::SourceLocation unreadable = describe(context_, declaration, schema);
  if (unreadable.isInvalid()) return true;
  return fail(model::rules::unsupported_type.id,
              fmt::format("the comment of '{}' is not UTF-8", declaration.getNameAsString()),
              "it is the description in the OpenAPI document: convert the file to UTF-8",
              unreadable)
      .has_value();
}

std::optional<TypeFailures::Json> TypeFailures::fail(std::string_view id, std::string message,
                                                     std::string help, clang::SourceRange range) {
  Failure failure{
      .id = std::string(id), .message = std::move(message), .help = std::move(help), .range = {}};
  if (range.isInvalid() && !path_.empty()) range = path_.back()->getLocation();
  if (range.isValid()) failure.range = context_.at.of(range);
  const std::size_t last = path_.size() - std::min(path_.size(), kMaxNotes);
  for (std::size_t i = path_.size(); i-- > std::max<std::size_t>(last, 1);) {
    const clang::DeclaratorDecl& member = *path_[i - 1];
    failure.notes.push_back(
        {fmt::format("in the type of the member '{}'", member.getNameAsString()),
         context_.at.token(member.getLocation())});
  }
  failures_.push_back(std::move(failure));
  return std::nullopt;
}

std::optional<TypeFailures::Json> TypeFailures::unsupported(clang::QualType type,
                                                            std::string help) {
  if (help.empty()) help = "docs/types.md lists the types that have a form in JSON";
  std::string members;
  for (const clang::DeclaratorDecl* member : path_) {
    members += members.empty() ? "" : ".";
    members += member->getNameAsString();
  }
  return fail(
      model::rules::unsupported_type.id,
      members.empty() ? fmt::format("the type '{}' has no form in JSON", shown(context_, type))
                      : fmt::format("the type '{}' of the member '{}' has no form in JSON",
                                    shown(context_, type), members),
      std::move(help),
      path_.empty() ? clang::SourceRange() : clang::SourceRange(path_.back()->getLocation()));
}

void TypeFailures::add(const std::vector<Failure>& others) {
  failures_.insert(failures_.end(), others.begin(), others.end());
}

std::vector<TypeFailures::Failure> TypeFailures::since(std::size_t first) const {
  return {failures_.begin() + static_cast<std::ptrdiff_t>(first), failures_.end()};
}

void TypeFailures::report(const model::Range& use) {
  for (Failure& failure : std::exchange(failures_, {})) report(std::move(failure), use);
}

void TypeFailures::report(Failure failure, const model::Range& use) {
  const bool is_variant = failure.id == model::rules::ambiguous_variant.id;
  const bool is_here = failure.range.line == 0;
  const bool is_reported =
      !is_here && std::ranges::any_of(context_.file.diagnostics, [&](const auto& earlier) {
        return earlier.id == failure.id && earlier.range == failure.range;
      });
  if (is_reported) return;
  auto& diagnostic =
      context_.report(is_variant ? model::rules::ambiguous_variant : model::rules::unsupported_type,
                      std::move(failure.message), is_here ? use : std::move(failure.range));
  diagnostic.help = std::move(failure.help);
  diagnostic.notes = std::move(failure.notes);
  diagnostic.fixes = std::move(failure.fixes);
  if (!is_here) diagnostic.notes.push_back({"used by this route", use});
}

}  // namespace fairway::frontend
