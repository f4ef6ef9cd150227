#include <fmt/format.h>

#include <array>

#include "diff/comparisons.hpp"
#include "model/openapi_document.hpp"

namespace fairway::diff {
namespace {

constexpr std::array<TextMember, 3> kDescriptions = {{{"description", "description-changed"},
                                                      {"example", "examples-changed"},
                                                      {"examples", "examples-changed"}}};
constexpr std::array<TextMember, 5> kSchemaTexts = {{{"title", "title-changed"},
                                                     {"description", "description-changed"},
                                                     {"example", "examples-changed"},
                                                     {"examples", "examples-changed"},
                                                     {"externalDocs", "external-docs-changed"}}};

Node first_with(const Schema& schema, std::string_view name) {
  for (const Node& part : schema.parts) {
    if (const Node node = part.member(name)) return node;
  }
  return {};
}

void compare_text(const TextMember& member, const Node& old_parent, const Node& new_parent,
                  const Node& before, const Node& after, const Location& location,
                  Recorder& recorder) {
  if (!before && !after) return;
  if (before && after && same_value(*before.value, *after.value)) return;
  recorder.add(member.id, location, before ? before : old_parent, after ? after : new_parent,
               !before  ? fmt::format("{} {} was added", member.name, value_text(*after.value))
               : !after ? fmt::format("{} {} was removed", member.name, value_text(*before.value))
                        : fmt::format("{} {} became {}", member.name, value_text(*before.value),
                                      value_text(*after.value)));
}

}  // namespace

void compare_text_members(std::span<const TextMember> members, const Node& before,
                          const Node& after, const Location& location, Recorder& recorder) {
  for (const TextMember& member : members) {
    compare_text(member, before, after, before.member(member.name), after.member(member.name),
                 location, recorder);
  }
}

void compare_schema_texts(const Schema& before, const Schema& after, const Location& location,
                          Recorder& recorder) {
  if (before.parts.empty() || after.parts.empty()) return;
  if (before.deprecated != after.deprecated && !location.path.empty()) {
    recorder.add(
        after.deprecated ? "member-deprecated" : "member-no-longer-deprecated", location,
        before.parts.front(), after.parts.front(),
        after.deprecated ? "the member became deprecated" : "the member is no longer deprecated");
  }
  for (const TextMember& member : kSchemaTexts) {
    compare_text(member, before.parts.front(), after.parts.front(), first_with(before, member.name),
                 first_with(after, member.name), location, recorder);
  }
}

void compare_descriptions(const Node& before, const Node& after, const Location& location,
                          Recorder& recorder) {
  compare_text_members(kDescriptions, before, after, location, recorder);
}

void compare_extensions(const Node& before, const Node& after, const Location& location,
                        Recorder& recorder) {
  const auto compare_one = [&](const std::string& name) {
    if (name == model::extensions::kSocket) return;
    const std::string_view id =
        name == model::extensions::kDocsAccess ? "docs-access-changed" : "extension-changed";
    compare_text({name, id}, before, after, before.member(name), after.member(name), location,
                 recorder);
  };
  for (const auto& [name, value] : before.value->items()) {
    if (name.starts_with("x-")) compare_one(name);
  }
  for (const auto& [name, value] : after.value->items()) {
    if (name.starts_with("x-") && !before.member(name)) compare_one(name);
  }
}

}  // namespace fairway::diff
