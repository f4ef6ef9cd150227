#include "mcp/application_tools.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/methods.hpp"
#include "base/suggest.hpp"
#include "mcp/tools.hpp"
#include "model/openapi_document.hpp"
#include "routing/matcher.hpp"

namespace fairway::mcp {
namespace {

using fw::routing::Matcher;

std::string string_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The rows of a route table, as the application finds them.
class RouteTable {
 public:
  explicit RouteTable(const Json& rows) : rows_(rows) {
    for (std::size_t index = 0; index < rows.size(); ++index) {
      const auto parsed = fw::schema::parse_route_path(string_in(rows[index], "path"));
      const auto* const path = std::get_if<fw::schema::RoutePath>(&parsed);
      if (path != nullptr) matcher_.add(method_of(rows[index]), *path, index);
    }
  }

  /// Sockets are opened with GET.
  static std::string method_of(const Json& row) {
    const std::string method = string_in(row, "method");
    return method == fw::base::kSocketMethod ? "GET" : method;
  }

  Matcher::Match find(std::string_view method, std::string_view path) const {
    return matcher_.find(method, path);
  }

  /// The rows that serve a path, for any method.
  std::set<std::size_t> serving(std::string_view path) const {
    std::set<std::size_t> found;
    for (const std::string_view method : fw::base::kMethods) {
      const std::size_t index = find(method, path).index;
      if (index != Matcher::kNone) found.insert(index);
    }
    return found;
  }

  const Json& row(std::size_t index) const { return rows_[index]; }

 private:
  const Json& rows_;
  Matcher matcher_;
};

std::string_view without_query(std::string_view target) {
  return target.substr(0, target.find('?'));
}

/// Adds the components that a part of a document refers to, and those that they refer to.
void add_components(const Json& document, const Json& part, Json& components) {
  if (part.is_array()) {
    for (const Json& item : part) add_components(document, item, components);
    return;
  }
  if (!part.is_object()) return;
  for (const auto& [name, value] : part.items()) {
    constexpr std::string_view kComponents = "#/components/";
    if (name != "$ref" || !value.is_string() ||
        !value.get_ref<const std::string&>().starts_with(kComponents)) {
      add_components(document, value, components);
      continue;
    }
    const auto steps = model::pointer_steps(
        std::string_view(value.get_ref<const std::string&>()).substr(kComponents.size()));
    if (steps.size() != 2 || components[steps[0]].contains(steps[1])) continue;
    const Json::json_pointer pointer(value.get_ref<const std::string&>().substr(1));
    if (!document.contains(pointer)) continue;
    components[steps[0]][steps[1]] = document[pointer];
    add_components(document, document[pointer], components);
  }
}

/// A part of the document with its components.
Json with_components(const Json& document, Json shown, const char* part) {
  Json components = Json::object();
  add_components(document, shown[part], components);
  shown["components"] = std::move(components);
  return shown;
}

struct Operation {
  std::string id;
  std::string method;
  std::string path;
  const Json* value = nullptr;
};

std::vector<Operation> operations_of(const Json& document) {
  std::vector<Operation> operations;
  const auto paths = document.find("paths");
  if (paths == document.end()) return operations;
  for (const auto& [path, item] : paths->items()) {
    for (const auto& [member, value] : item.items()) {
      const std::string method = model::method_of(member);
      if (fw::base::find_method(method).empty()) continue;
      operations.push_back({string_in(value, "operationId"), method, path, &value});
    }
  }
  return operations;
}

Json contents_of(const Json& document, const std::vector<Operation>& operations) {
  Json list = Json::array();
  for (const Operation& each : operations) {
    list.push_back({{"operation_id", each.id},
                    {"method", each.method},
                    {"path", each.path},
                    {"summary", string_in(*each.value, "summary")}});
  }
  Json names = Json::array();
  const Json::json_pointer schemas("/components/schemas");
  if (document.contains(schemas)) {
    for (const auto& [name, schema] : document[schemas].items()) names.push_back(name);
  }
  return {{"operations", list}, {"schemas", names}};
}

std::string unknown_name(std::string_view what, const std::string& name,
                         const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string near = fw::base::did_you_mean(name, names);
  return fmt::format("there is no {} '{}'{}", what, name,
                     near.empty() ? "; without arguments, 'openapi' lists them" : near);
}

}  // namespace

Json ApplicationTools::run(const std::string& tool, const Json& arguments) {
  try {
    if (tool == "routes") return routes(arguments);
    if (tool == "diagnostics") return diagnostics(arguments);
    if (tool == "openapi") return openapi(arguments);
    if (tool == kCheckCall) return check_call(arguments);
  } catch (const UserError& error) {
    return error_result(error.what());
  }
  throw rpc::RequestError(rpc::ErrorCode::method_not_found, fmt::format("unknown tool '{}'", tool));
}

Json ApplicationTools::routes(const Json& arguments) {
  Json all = source_.routes();
  last_routes_ = all["routes"];
  const std::string path = string_in(arguments, "path");
  const std::string method = string_in(arguments, "method");
  const RouteTable table(last_routes_);
  const std::set<std::size_t> serving =
      path.starts_with('/') ? table.serving(without_query(path)) : std::set<std::size_t>();
  Json chosen = Json::array();
  for (std::size_t index = 0; index < last_routes_.size(); ++index) {
    const Json& row = last_routes_[index];
    const bool has_path =
        string_in(row, "path").find(path) != std::string::npos || serving.contains(index);
    if (has_path && (method.empty() || RouteTable::method_of(row) == method)) chosen.push_back(row);
  }
  all["routes"] = std::move(chosen);
  return result_of(std::move(all));
}

Json ApplicationTools::diagnostics(const Json& arguments) {
  Json report = source_.diagnostics();
  const std::string file = string_in(arguments, "file");
  const std::string severity = string_in(arguments, "severity");
  Json chosen = Json::array();
  for (Json& each : report["diagnostics"]) {
    const bool is_asked = string_in(each, "file").find(file) != std::string::npos &&
                          (severity.empty() || each["severity"] == severity);
    if (is_asked) chosen.push_back(std::move(each));
  }
  report["diagnostics"] = std::move(chosen);
  return result_of(std::move(report));
}

Json ApplicationTools::openapi(const Json& arguments) {
  const bool wants_operation = arguments.contains("operation");
  if (wants_operation && arguments.contains("schema")) {
    return error_result("'operation' and 'schema' cannot be used together");
  }
  const Json document = source_.document();
  const std::vector<Operation> operations = operations_of(document);
  std::vector<std::string> known;
  if (wants_operation) {
    const std::string name = string_in(arguments, "operation");
    for (const Operation& each : operations) {
      const std::string place = each.method + ' ' + each.path;
      if (name == each.id || name == place) {
        return result_of(with_components(
            document, {{"method", each.method}, {"path", each.path}, {"operation", *each.value}},
            "operation"));
      }
      known.insert(known.end(), {each.id, place});
    }
    return error_result(unknown_name("operation", name, known));
  }
  if (!arguments.contains("schema")) return result_of(contents_of(document, operations));
  const std::string name = string_in(arguments, "schema");
  const Json::json_pointer schemas("/components/schemas");
  if (document.contains(schemas)) {
    for (const auto& [each, schema] : document[schemas].items()) {
      if (each == name) {
        return result_of(with_components(document, {{"name", name}, {"schema", schema}}, "schema"));
      }
      known.push_back(each);
    }
  }
  return error_result(unknown_name("schema", name, known));
}

/// While the routes have errors, the running program has those from before.
Json ApplicationTools::check_call(const Json& arguments) {
  try {
    last_routes_ = source_.routes()["routes"];
  } catch (const ErrorsInRoutes&) {
    if (last_routes_.is_null()) throw;
  }
  const std::string method = string_in(arguments, "method");
  const std::string target = string_in(arguments, "path");
  const std::string_view path = without_query(target);
  const RouteTable table(last_routes_);
  const Matcher::Match match = table.find(method, path);
  if (match.index == Matcher::kNone && match.allow.empty()) {
    return error_result(
        fmt::format("no route serves '{}': the tool 'routes' lists the routes", path));
  }
  if (match.index == Matcher::kNone) {
    return error_result(fmt::format("no route serves {} '{}', only {}", method, path, match.allow));
  }
  if (!table.row(match.index).value("socket", Json()).is_null()) {
    return error_result(fmt::format("'{}' is a socket, not an operation", path));
  }
  return nullptr;
}

}  // namespace fairway::mcp
