// [object-in-parameters]
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

using fw::schema::Kind;
using fw::schema::Node;

std::string_view plural_of(std::string_view location) {
  if (location == "param") return "parameters";
  if (location == "query") return "query values";
  return location == "header" ? "headers" : "cookies";
}

bool is_object(const Node& node) {
  const Node& type = fw::schema::resolved(node);
  return type.kind == Kind::object || type.kind == Kind::map || !type.discriminator.empty();
}

/// The structure of a value that cannot be sent; empty if it can.
std::optional<std::string_view> structure(const Node& node) {
  if (is_object(node)) return "an object";
  if (node.kind == Kind::array && node.items && is_object(*node.items)) {
    return "an array of objects";
  }
  return std::nullopt;
}

}  // namespace

void lint_object_in_parameters(const LintedRoute& route, Reporter& reporter) {
  for (const model::LocationSchema& location : route.route->validate) {
    if (location.location == "body") continue;
    for (const fw::schema::Field& field : location.schema.fields) {
      const auto what = structure(field.node);
      if (!what) continue;
      reporter.report(rules::object_in_parameters,
                      fmt::format("'{}' is {}, but {} are strings: {}", field.name, *what,
                                  plural_of(location.location),
                                  field.node.required ? "this schema rejects every request"
                                                      : "every request that has it is rejected"),
                      location.range,
                      "declare its fields one by one, or declare it in 'validate.body'");
    }
  }
}

}  // namespace fairway::rules
