#include "schema/operation_caching.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/reason_phrases.hpp"

namespace fw::schema {
namespace {

using nlohmann::ordered_json;

constexpr const char* kNotModified = "304";

/// Sets a member. A new one precedes the first member whose name is one that `follows`.
template <class Follows>
void set_member(ordered_json& object, const std::string& name, ordered_json value,
                const Follows& follows) {
  if (object.contains(name)) {
    object[name] = std::move(value);
    return;
  }
  ordered_json result = ordered_json::object();
  for (auto& [other, member] : object.items()) {
    if (follows(other) && !result.contains(name)) result[name] = std::move(value);
    result[other] = std::move(member);
  }
  if (!result.contains(name)) result[name] = std::move(value);
  object = std::move(result);
}

ordered_json::iterator find_header(ordered_json& headers, std::string_view name) {
  auto header = headers.begin();
  while (header != headers.end() && !base::equal_ignoring_case(header.key(), name)) ++header;
  return header;
}

/// Adds a header, or removes it if it was added before. Keeps a header that the route documents.
void set_header(ordered_json& headers, const char* name, const char* description, bool is_sent) {
  const ordered_json header = {{"description", description}, {"schema", {{"type", "string"}}}};
  const auto known = find_header(headers, name);
  if (known == headers.end()) {
    if (is_sent) headers[name] = header;
  } else if (!is_sent && *known == header) {
    headers.erase(known);
  }
}

bool has_validator(ordered_json& headers) {
  return find_header(headers, "etag") != headers.end() ||
         find_header(headers, "last-modified") != headers.end();
}

}  // namespace

void describe_caching(ordered_json& responses, const CachingDeclaration& declaration) {
  auto found = responses.find("200");
  if (found == responses.end()) found = responses.find("2XX");
  if (found == responses.end()) return;
  ordered_json& ok = *found;
  if (!ok.is_object()) return;
  const auto content = ok.find("content");
  if (content == ok.end() || !content->contains("application/json")) return;
  ordered_json headers = ok.value("headers", ordered_json::object());
  set_header(headers, "X-Cache", "HIT or STALE for a stored response, MISS for a new one",
             declaration.is_cached);
  set_header(headers, "Cache-Control", "How long the response may be reused",
             declaration.is_cached && declaration.sends_cache_control);
  set_header(headers, "ETag", "Identifies the content, for If-None-Match",
             declaration.has_entity_tags);
  if (headers.empty()) {
    ok.erase("headers");
  } else {
    set_member(ok, "headers", headers, [](const auto& name) { return name == "content"; });
  }
  if (declaration.declares_not_modified) return;
  responses.erase(kNotModified);
  const bool is_conditional = declaration.has_entity_tags || declaration.is_cached;
  if (!is_conditional || !has_validator(headers)) return;
  // It has the fields of the 200 (RFC 9110, 15.4.5).
  ordered_json response = {{"description", base::reason_phrase(304)},
                           {"headers", std::move(headers)}};
  set_member(responses, kNotModified, std::move(response),
             [](const auto& status) { return status > kNotModified; });
}

}  // namespace fw::schema
