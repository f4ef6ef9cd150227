#include "mcp/tool.hpp"

#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "openapi/openapi_walk.hpp"

namespace fw::mcp {
namespace {

using openapi::member;
using openapi::OrderedJson;
using openapi::text_member;

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return result;
}

std::optional<ParameterLocation> location_of(const OrderedJson& parameter) {
  const std::string in = text_member(parameter, "in");
  if (in == "path") return ParameterLocation::param;
  if (in == "query") return ParameterLocation::query;
  if (in == "header") return ParameterLocation::header;
  return std::nullopt;  // cookies are the client's
}

std::string_view name_of(ParameterLocation location) {
  switch (location) {
    case ParameterLocation::param:
      return "param";
    case ParameterLocation::query:
      return "query";
    case ParameterLocation::header:
      return "header";
  }
  return {};
}

bool is_true(const OrderedJson& object, std::string_view name) {
  const OrderedJson* const value = member(object, name);
  return value != nullptr && *value == true;
}

/// The schema of a body in JSON; null if there is none.
const OrderedJson* json_schema_of(const OrderedJson& with_content) {
  const OrderedJson* const content = member(with_content, "content");
  const OrderedJson* const json =
      content != nullptr ? member(*content, "application/json") : nullptr;
  return json != nullptr ? member(*json, "schema") : nullptr;
}

/// Makes the tool of one operation.
class ToolReader {
 public:
  ToolReader(const OrderedJson& document, Tool& tool,
             const std::function<bool(std::string_view)>& is_reserved)
      : document_(document), tool_(tool), is_reserved_(is_reserved) {}

  void read(const std::string& method, const OrderedJson& operation) {
    read_parameters(operation);
    read_body(operation);
    OrderedJson& listed = tool_.listed;
    listed["name"] = tool_.name;
    const std::string summary = text_member(operation, "summary");
    const std::string description = text_member(operation, "description");
    if (!summary.empty()) listed["title"] = summary;
    listed["description"] = !description.empty() ? description
                            : !summary.empty()   ? summary
                                                 : fmt::format("{} {}", upper(method), tool_.path);
    listed["inputSchema"] = input_schema();
    if (auto output = output_schema(operation)) {
      listed["outputSchema"] = *std::move(output);
      tool_.has_output = true;
    }
    listed["annotations"] = annotations(method);
  }

 private:
  void read_parameters(const OrderedJson& operation) {
    const OrderedJson* const parameters = member(operation, "parameters");
    if (parameters == nullptr) return;
    for (const OrderedJson& written : *parameters) {
      const OrderedJson& parameter = referenced(document_, written);
      const auto location = location_of(parameter);
      const std::string name = text_member(parameter, "name");
      if (!location || (*location == ParameterLocation::header && is_reserved_(name))) continue;
      tool_.parameters.push_back(
          {.name = name,
           .location = *location,
           .is_wildcard = is_true(parameter, schema::extensions::kWildcard)});
      const OrderedJson* const schema = member(parameter, "schema");
      OrderedJson& group = group_[std::string(name_of(*location))];
      group["type"] = "object";
      group["properties"][name] = schema != nullptr ? *schema : OrderedJson::object();
      if (is_true(parameter, "required")) group["required"].push_back(name);
    }
  }

  void read_body(const OrderedJson& operation) {
    const OrderedJson* const written = member(operation, "requestBody");
    if (written == nullptr) return;
    const OrderedJson& body = referenced(document_, *written);
    const OrderedJson* const schema = json_schema_of(body);
    if (schema == nullptr) return;
    tool_.has_body = true;
    group_["body"] = *schema;
    needs_body_ = is_true(body, "required");
  }

  OrderedJson input_schema() const {
    OrderedJson schema = {{"type", "object"}, {"properties", OrderedJson::object()}};
    for (const auto& [name, group] : group_.items()) {
      schema["properties"][name] = group;
      if (name == "body" ? needs_body_ : group.contains("required")) {
        schema["required"].push_back(name);
      }
    }
    schema["additionalProperties"] = false;
    return self_contained(std::move(schema), document_);
  }

  /// Only if all successful responses have it, because a client rejects a result without it.
  std::optional<OrderedJson> output_schema(const OrderedJson& operation) const {
    const OrderedJson* const responses = member(operation, "responses");
    if (responses == nullptr) return std::nullopt;
    std::optional<OrderedJson> found;
    for (const auto& [selector, written] : responses->items()) {
      if (!selector.starts_with('2')) continue;
      const OrderedJson* const schema = json_schema_of(referenced(document_, written));
      if (schema == nullptr || found) return std::nullopt;
      found = referenced(document_, *schema);
    }
    if (!found || text_member(*found, "type") != "object") return std::nullopt;
    return self_contained(*std::move(found), document_);
  }

  static OrderedJson annotations(const std::string& method) {
    OrderedJson hints = {{"readOnlyHint", method == "get"}};
    if (method == "put" || method == "delete") hints["idempotentHint"] = true;
    return hints;
  }

  const OrderedJson& document_;
  Tool& tool_;
  const std::function<bool(std::string_view)>& is_reserved_;
  OrderedJson group_ = OrderedJson::object();  ///< the schemas of the arguments
  bool needs_body_ = false;
};

}  // namespace

std::vector<Tool> tools_of(const OrderedJson& document,
                           std::span<const detail::Route* const> routes,
                           const std::function<bool(std::string_view)>& is_reserved) {
  std::map<std::string, Tool, std::less<>> by_id;
  openapi::for_each_operation(document, [&](const std::string& path, const std::string& method,
                                            const OrderedJson& operation) {
    Tool tool{.name = text_member(operation, "operationId"), .path = path};
    const auto wanted = std::ranges::find_if(routes, [&](const detail::Route* route) {
      return route->options.mcp && route->operation_id == tool.name;
    });
    if (wanted == routes.end()) return;
    tool.route = *wanted;
    ToolReader(document, tool, is_reserved).read(method, operation);
    by_id.insert_or_assign(tool.name, std::move(tool));
  });
  std::vector<Tool> tools;
  std::vector<std::string> errors;
  for (const detail::Route* const route : routes) {
    if (!route->options.mcp) continue;
    const auto found = by_id.find(route->operation_id);
    if (found == by_id.end()) {
      errors.push_back(fmt::format(
          "{}: {}: the route has the option .mcp, but the OpenAPI document has no operation '{}'",
          source_of(*route), detail::name_of(*route), route->operation_id));
    } else {
      tools.push_back(std::move(found->second));
    }
  }
  if (!errors.empty()) throw StartupError(std::move(errors));
  return tools;
}

}  // namespace fw::mcp
