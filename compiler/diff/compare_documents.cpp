#include <fmt/format.h>

#include <array>
#include <set>
#include <tuple>

#include "diff/comparisons.hpp"

namespace fairway::diff {
namespace {

constexpr std::array<TextMember, 7> kInfo = {{{"title", "info-changed"},
                                              {"summary", "info-changed"},
                                              {"description", "description-changed"},
                                              {"version", "info-changed"},
                                              {"termsOfService", "info-changed"},
                                              {"contact", "info-changed"},
                                              {"license", "info-changed"}}};
constexpr std::array<TextMember, 1> kDocumentMembers = {
    {{"externalDocs", "external-docs-changed"}}};

void compare_tags(const Documents& documents, Recorder& recorder) {
  const Node before = documents.before.array(documents.before.root(), "tags");
  const Node after = documents.after.array(documents.after.root(), "tags");
  const auto find = [](const Node& tags, const Json& name) {
    for (std::size_t i = 0; tags && i < tags.value->size(); ++i) {
      const Node tag = tags.item(i);
      if (const Node own = tag.member("name"); own && *own.value == name) return tag;
    }
    return Node();
  };
  for (std::size_t i = 0; before && after && i < before.value->size(); ++i) {
    const Node tag = before.item(i);
    const Node name = tag.member("name");
    const Node other = name ? find(after, *name.value) : Node();
    if (!other) continue;
    compare_descriptions(tag, other, {fmt::format("tag {}", value_text(*name.value)), ""},
                         recorder);
  }
}

void compare_info(const Documents& documents, Recorder& recorder) {
  const Node before = documents.before.root();
  const Node after = documents.after.root();
  const Node old_version = before.member("openapi");
  const Node new_version = after.member("openapi");
  if (old_version && new_version && *old_version.value != *new_version.value) {
    recorder.add("openapi-version-changed", {"document", ""}, old_version, new_version,
                 fmt::format("OpenAPI {} became {}", value_text(*old_version.value),
                             value_text(*new_version.value)));
  }
  const Node old_info = documents.before.object(before, "info");
  const Node new_info = documents.after.object(after, "info");
  if (old_info && new_info) {
    compare_text_members(kInfo, old_info, new_info, {"info", ""}, recorder);
  }
  compare_text_members(kDocumentMembers, before, after, {"document", ""}, recorder);
  compare_tags(documents, recorder);
  compare_extensions(before, after, {"document", ""}, recorder);
}

std::string_view source_text(Document::Source source) {
  switch (source) {
    case Document::Source::openapi:
      return "an OpenAPI document";
    case Document::Source::manifest:
      return "a routes manifest";
    case Document::Source::metrics:
      break;
  }
  return "a list of metrics";
}

/// If a parameter and its schema have the same description, its change is reported once.
void remove_repeated(Changes& changes) {
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  std::erase_if(changes, [&](const Change& change) {
    return !seen.emplace(change.id, change.operation(), change.location, change.message).second;
  });
}

}  // namespace

Changes compare_documents(const Document& before, const Document& after) {
  if (before.source() != after.source()) {
    throw BadDocument(fmt::format("{} is {} and {} is {}: compare two of a kind", before.name(),
                                  source_text(before.source()), after.name(),
                                  source_text(after.source())));
  }
  Changes changes;
  const Documents documents{before, after};
  if (before.source() == Document::Source::metrics) {
    compare_metric_lists(documents, changes);
    return changes;
  }
  Recorder recorder(changes, "", "");
  compare_info(documents, recorder);
  compare_servers(documents, before.root(), after.root(), {"servers", ""}, recorder);
  compare_security_schemes(documents, recorder);
  compare_operations(documents, changes);
  compare_webhooks(documents, changes);
  remove_repeated(changes);
  return changes;
}

}  // namespace fairway::diff
