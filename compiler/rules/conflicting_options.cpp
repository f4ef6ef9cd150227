#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/byte_size.hpp"
#include "base/origin.hpp"
#include "base/strings.hpp"
#include "model/value_members.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

using model::Value;

bool is_true(const Value& value) { return value.kind == Value::Kind::boolean && value.boolean; }

void require_false(const Value& options, std::string_view member, Reporter& reporter) {
  const Value* value = member_value(options, member);
  if (!value || !is_true(*value)) return;
  reporter.report(rules::conflicting_options, fmt::format("'{}' can only be false", member),
                  value->range, "remove it: the global setting applies");
}

void require_positive(const Value& record, std::string_view member, std::string_view path,
                      std::string_view unit, Reporter& reporter) {
  const Value* value = member_value(record, member);
  if (!value) return;
  const auto number = number_of(*value);
  if (!number || *number > 0) return;
  reporter.report(rules::conflicting_options,
                  fmt::format("'{}' must be a positive number of {}", path, unit), value->range);
}

void require_size(const Value& record, std::string_view member, std::string_view path,
                  Reporter& reporter) {
  const Value* value = member_value(record, member);
  if (!value) return;
  const auto number = number_of(*value);
  const bool is_size = number ? *number >= 0
                              : value->kind != Value::Kind::string ||
                                    fw::base::parse_byte_size(value->text).has_value();
  if (is_size) return;
  reporter.report(rules::conflicting_options, fmt::format("'{}' is not a valid size", path),
                  value->range,
                  "write a number of bytes, or a string such as \"512kb\" or \"1mb\"");
}

void check_timeout(const Value& options, Reporter& reporter) {
  const Value* timeout = member_value(options, "timeout");
  if (!timeout) return;
  if (is_true(*timeout)) {
    reporter.report(rules::conflicting_options,
                    "'timeout' must be false or a positive number of milliseconds", timeout->range,
                    "write the deadline, for example '5s'");
    return;
  }
  require_positive(options, "timeout", "timeout", "milliseconds", reporter);
}

void check_cache(const Value& options, Reporter& reporter) {
  const Value* cache = member_value(options, "cache");
  if (!cache) return;
  if (is_true(*cache)) {
    reporter.report(rules::conflicting_options, "'cache' must be false, a time to live, or options",
                    cache->range, "write the time to live, for example '30s'");
  } else if (const auto ttl = number_of(*cache); ttl && *ttl < 0) {
    reporter.report(rules::conflicting_options, "'cache' must be a positive number of milliseconds",
                    cache->range, "write 'false' to disable the cache");
  }
  const model::Member* query = find_member(*cache, "query");
  const model::Member* key = find_member(*cache, "key");
  if (query && key) {
    reporter
        .report(rules::conflicting_options, "'cache.query' excludes 'cache.key'", query->name_range,
                "remove it: the key of the route takes the place of the path and the query")
        .notes.push_back({"the key is declared here", key->name_range});
  }
  const Value* methods = member_value(*cache, "methods");
  if (!methods) return;
  constexpr std::array<std::string_view, 7> kMethods = {"GET",    "POST", "PUT",    "PATCH",
                                                        "DELETE", "HEAD", "OPTIONS"};
  for (const Value& method : methods->items) {
    if (std::ranges::find(kMethods, method.text) != kMethods.end()) continue;
    auto& error =
        reporter.report(rules::conflicting_options,
                        fmt::format("'cache.methods' has the unknown method '{}'", method.text),
                        method.range, "write methods in upper case, for example \"GET\"");
    std::string upper = method.text;
    std::ranges::transform(upper, upper.begin(), fw::base::to_upper);
    if (std::ranges::find(kMethods, upper) != kMethods.end()) {
      add_fix(error, method, 0, method.text.size(), upper);
    }
  }
}

void check_cors(const Value& overrides, Reporter& reporter) {
  const Value* cors = member_value(overrides, "cors");
  if (!cors) return;
  if (const Value* origins = member_value(*cors, "origins")) {
    for (const Value& origin : origins->items) {
      const bool is_origin = origin.kind != Value::Kind::string || origin.text == "*" ||
                             origin.text == "null" || fw::base::parse_origin(origin.text);
      if (is_origin) continue;
      reporter.report(rules::conflicting_options, fmt::format("'{}' is not an origin", origin.text),
                      origin.range,
                      "write a scheme and a host, such as \"https://app.example\", or \"*\"");
    }
  }
  const Value* max_age = member_value(*cors, "max_age");
  if (max_age && number_of(*max_age).value_or(0) < 0) {
    reporter.report(rules::conflicting_options, "'override_.cors.max_age' must not be negative",
                    max_age->range);
  }
}

// A type that is not written like one would match no file.
void check_media_types(const Value& multipart, Reporter& reporter) {
  const Value* types = member_value(multipart, "allowed_mime_types");
  if (!types) return;
  for (const Value& type : types->items) {
    if (type.kind != Value::Kind::string || fw::base::is_media_range(type.text)) continue;
    reporter.report(rules::conflicting_options, fmt::format("'{}' is not a media type", type.text),
                    type.range,
                    "write a type such as \"image/png\", without parameters, or \"image/*\"");
  }
}

void check_streamed_body(const Value& options, const Value& parser, Reporter& reporter) {
  const Value* multipart = member_value(options, "multipart");
  if (!multipart || !flag_member(parser, "stream").value_or(false) ||
      !flag_member(*multipart, "enabled").value_or(false)) {
    return;
  }
  reporter
      .report(rules::conflicting_options, "'body_parser.stream' excludes 'multipart.enabled'",
              find_member(*multipart, "enabled")->name_range,
              "the handler reads the form, for example with fw::MultipartStream")
      .notes.push_back({"'stream' is set here", find_member(parser, "stream")->name_range});
}

void check_override(const Value& options, Reporter& reporter) {
  const Value* overrides = member_value(options, "override_");
  if (!overrides) return;
  require_positive(*overrides, "timeout", "override_.timeout", "milliseconds", reporter);
  require_size(*overrides, "max_body_size", "override_.max_body_size", reporter);
  check_cors(*overrides, reporter);
  if (const Value* limit = member_value(*overrides, "rate_limit")) {
    if (is_true(*limit)) {
      reporter.report(
          rules::conflicting_options,
          "'override_.rate_limit' must be false or values that override the values of the "
          "global limiter",
          limit->range, "a route cannot enable the limiter");
    }
    require_positive(*limit, "max", "override_.rate_limit.max", "requests", reporter);
    require_positive(*limit, "window", "override_.rate_limit.window", "seconds", reporter);
    const Value* key = member_value(*limit, "key_by");
    if (is_kind(key, Value::Kind::string) && !key->text.empty() && key->text != "ip" &&
        key->text != "user") {
      reporter.report(rules::conflicting_options,
                      fmt::format("'override_.rate_limit.key_by' cannot be '{}'", key->text),
                      key->range, "write \"ip\" or \"user\"");
    }
  }
}

void check_declared_content(const Value& options, Reporter& reporter) {
  const Value* responses = member_value(options, "responses");
  if (!responses) return;
  for (const Value& entry : responses->items) {
    if (!is_named_entry(entry) || model::may_have_content(entry_name(entry))) continue;
    reporter.report(
        rules::conflicting_options,
        fmt::format("'responses' declares a schema for '{}', which has no body", entry_name(entry)),
        entry.items[0].range, "describe it in 'docs.responses', without a schema");
  }
}

void check_documented_content(const Value& options, Reporter& reporter) {
  const Value* docs = member_value(options, "docs");
  const Value* responses = docs ? member_value(*docs, "responses") : nullptr;
  if (!responses) return;
  for (const Value& entry : responses->items) {
    if (!is_named_entry(entry) || model::may_have_content(entry_name(entry))) continue;
    for (const char* name : {"schema", "content_type", "example", "examples"}) {
      const model::Member* member = find_member(entry.items[1], name);
      if (!member) continue;
      reporter.report(rules::conflicting_options,
                      fmt::format("'docs.responses' declares '{}' for '{}', which has no body",
                                  name, entry_name(entry)),
                      member->name_range, "remove it");
    }
  }
}

}  // namespace

void check_option_constraints(const Value& options, Reporter& reporter) {
  require_false(options, "csrf", reporter);
  require_false(options, "security_headers", reporter);
  check_timeout(options, reporter);
  check_cache(options, reporter);
  check_override(options, reporter);
  check_declared_content(options, reporter);
  check_documented_content(options, reporter);
  if (const Value* parser = member_value(options, "body_parser")) {
    require_size(*parser, "max_body_size", "body_parser.max_body_size", reporter);
    check_streamed_body(options, *parser, reporter);
  }
  if (const Value* multipart = member_value(options, "multipart")) {
    require_positive(*multipart, "max_files", "multipart.max_files", "files", reporter);
    require_size(*multipart, "max_file_size", "multipart.max_file_size", reporter);
    check_media_types(*multipart, reporter);
  }
}

}  // namespace fairway::rules
