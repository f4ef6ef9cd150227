// [undeclared-input]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/methods.hpp"
#include "base/suggest.hpp"
#include "model/value_members.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"
#include "schema/route_path.hpp"

namespace fairway::rules {
namespace {

using fw::schema::Field;
using fw::schema::Node;
using model::InputRead;

/// Headers that clients and proxies send by default, or that the framework defines.
constexpr std::array<std::string_view, 18> kCommonHeaders = {
    "authorization", "cookie",      "user-agent",  "content-type",  "content-length",
    "host",          "referer",     "origin",      "range",         "forwarded",
    "x-real-ip",     "traceparent", "tracestate",  "last-event-id", "x-csrf-token",
    "x-xsrf-token",  "x-api-key",   "x-request-id"};
constexpr std::array<std::string_view, 4> kCommonFamilies = {"accept", "if-", "x-forwarded-",
                                                             "sec-"};

bool is_defined_elsewhere(const InputRead& read) {
  if (read.validated) return false;  // contains declared fields only
  const std::string& name = read.path.front();
  if (read.location == "cookie") return name == "fw.sid" || name == "fw.csrf";
  if (read.location == "body") return name == "_csrf";
  return read.location == "header" &&
         (std::ranges::find(kCommonHeaders, name) != kCommonHeaders.end() ||
          std::ranges::any_of(kCommonFamilies,
                              [&](auto family) { return name.starts_with(family); }));
}

std::string_view noun(std::string_view location) {
  constexpr std::pair<std::string_view, std::string_view> kNouns[] = {
      {"param", "parameter"}, {"query", "query key"}, {"body", "body field"}};
  for (const auto& [name, text] : kNouns) {
    if (name == location) return text;
  }
  return location;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const auto near = fw::base::near_names(name, candidates);
  return near.empty() ? std::string() : fmt::format("did you mean '{}'?", near.front());
}

/// The field names of a location or of an object in it, as handlers write them.
std::vector<std::string> names_of(const Node& object, std::string_view location) {
  std::vector<std::string> names;
  for (const Field& field : object.fields) {
    names.push_back(location == "header" ? fw::base::lower_case(field.name) : field.name);
  }
  return names;
}

/// The first part of a read path that no schema declares.
struct Missing {
  std::string path;  ///< including the enclosing objects: "address/city"
  std::string name;
  std::vector<std::string> siblings;  ///< the declared fields of its object
};

/// Follows a read path through the declared fields. A value of type 'any' has every member.
std::optional<Missing> missing_part(const model::LocationSchema& schema, const InputRead& read) {
  const Node* node = &schema.schema;
  std::string path;
  for (const std::string& name : read.path) {
    if (node->fields.empty()) return std::nullopt;
    path += (path.empty() ? "" : "/") + name;
    auto names = names_of(*node, schema.location);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return Missing{std::move(path), name, std::move(names)};
    node = &node->fields[static_cast<std::size_t>(found - names.begin())].node;
  }
  return std::nullopt;
}

class UndeclaredInput {
 public:
  UndeclaredInput(const LintedRoute& linted, Reporter& reporter)
      : route_(*linted.route), linted_(linted), reporter_(reporter) {
    const auto parsed = fw::schema::parse_route_path(route_.path);
    if (const auto* path = std::get_if<fw::schema::RoutePath>(&parsed)) names_ = path->names;
  }

  void check(InputRead read) {
    if (read.location == "header" && !read.validated) {
      read.path.front() = fw::base::lower_case(std::move(read.path.front()));
    }
    if (is_defined_elsewhere(read)) return;
    if (read.location == "param" && !std::ranges::count(names_, read.path.front()))
      return no_such(read);
    const model::LocationSchema* const schema = route_.schema_of(read.location);
    if (schema == nullptr) return no_schema(read);
    // The path itself declares its parameters; only `valid` needs a schema.
    if (read.location == "param" && !read.validated) return;
    if (const auto missing = missing_part(*schema, read)) {
      not_in(read, *missing, *schema);
    }
  }

  /// The names of `cache.query`, if the route declares its query.
  void check_names(const model::Value& names) {
    if (!route_.schema_of("query")) return;
    for (const model::Value& name : names.items) {
      check({.location = "query", .path = {name.text}, .range = name.range});
    }
  }

 private:
  /// Reports each name once, because one declaration is enough for all uses.
  model::Diagnostic* report(const InputRead& read, const std::string& path, std::string message,
                            std::string help) {
    if (!reported_.emplace(read.location, path).second) return nullptr;
    return &reporter_.report(rules::undeclared_input, std::move(message), read.range,
                             std::move(help));
  }

  void no_such(const InputRead& read) {
    const std::string& name = read.path.front();
    std::string help = suggestion(name, names_);
    if (help.empty() && names_.empty()) help = fmt::format("add a segment ':{}' to the path", name);
    if (help.empty()) help = fmt::format("the path has '{}'", fmt::join(names_, "', '"));
    report(read, name, fmt::format("the path has no parameter '{}'", name), std::move(help));
  }

  void no_schema(const InputRead& read) {
    const std::string& location = read.location;
    const std::string& name = read.path.front();
    if (read.validated) {
      report(read, name,
             fmt::format("'valid' has no '{}', because the route declares no 'validate.{}'", name,
                         location),
             declaration(location, name));
    } else if (location == "body" && !is_documented_body()) {
      const bool is_parsed = !fw::base::is_safe(route_.method);
      report(read, name,
             is_parsed ? undeclared(location, name)
                       : fmt::format("bodies of {} requests are not parsed: there is no '{}'",
                                     route_.method, name),
             is_parsed ? declaration(location, name)
                       : "read the query, or register the route with 'post'");
    } else if (location == "query" || location == "header" || location == "cookie") {
      report(read, name, undeclared(location, name), declaration(location, name));
    }
  }

  void not_in(const InputRead& read, const Missing& missing, const model::LocationSchema& schema) {
    std::string help = suggestion(missing.name, missing.siblings);
    if (help.empty()) help = fmt::format("add it to 'validate.{}'", read.location);
    auto* diagnostic =
        report(read, missing.path, undeclared(read.location, missing.path), std::move(help));
    if (diagnostic) {
      diagnostic->notes.push_back(
          {fmt::format("'validate.{}' is declared here", read.location), schema.range});
    }
  }

  static std::string undeclared(const std::string& location, const std::string& name) {
    return fmt::format("the {} '{}' is not declared", noun(location), name);
  }

  static std::string declaration(const std::string& location, const std::string& name) {
    return fmt::format("declare it: '.validate = {{.{} = {{{{\"{}\", \"string?\"}}}}}}'", location,
                       name);
  }

  /// Whether `docs.request_body` describes the body, for media types that are not validated.
  bool is_documented_body() const {
    return !route_.docs.request_body.is_null() || linted_.option("multipart");
  }

  const model::Route& route_;
  const LintedRoute& linted_;
  Reporter& reporter_;
  std::vector<std::string> names_;
  std::set<std::pair<std::string, std::string>> reported_;
};

}  // namespace

void lint_undeclared_input(const LintedRoute& route, Reporter& reporter) {
  UndeclaredInput lint(route, reporter);
  for (const InputRead& read : route.registration->handler.reads) lint.check(read);
  const model::Member* cache = route.active_cache();
  const model::Value* query = cache ? member_value(cache->value, "query") : nullptr;
  if (query) lint.check_names(*query);
}

}  // namespace fairway::rules
