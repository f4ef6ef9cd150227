#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "emit/clients/cpp/cpp_parts.hpp"
#include "emit/source_parts.hpp"

namespace fairway::emit {
namespace {

using model::Json;

std::string_view location_name(ParameterLocation location) {
  switch (location) {
    case ParameterLocation::path:
      return "path";
    case ParameterLocation::query:
      return "query";
    case ParameterLocation::header:
      return "header";
    case ParameterLocation::cookie:
      return "cookie";
  }
  return {};
}

/// Builds the struct for the input of an operation.
class RequestWriter {
 public:
  RequestWriter(const ClientOperation& operation, CppTypes& types, model::NameScope& names)
      : operation_(operation),
        types_(types),
        base_(model::pascal_case(operation.id)),
        name_(names.add(base_ + "Request")),
        members_({name_, "body", "form"}) {}

  CppRequest write() {
    add_path();
    for (const ClientParameter& parameter : operation_.parameters) {
      if (parameter.location != ParameterLocation::path) add_parameter(parameter);
    }
    if (operation_.body) add_body(*operation_.body);
    CppRequest request{
        .name = {}, .declaration = {}, .is_optional = is_optional_, .building = building_};
    if (fields_.empty()) return request;
    request.name = name_;
    request.declaration = fill(R"(
/// $id$
struct $name$ {
  $fields$
};
)",
                               {{"id", "What " + comment_text(operation_.id) + " takes."},
                                {"name", name_},
                                {"fields", fields_}});
    return request;
  }

 private:
  // Parameters in several locations may have the same name; the first one keeps it.
  std::string add_member(const ClientParameter& parameter) {
    std::string name = model::cpp_name(parameter.name);
    if (members_.has(name))
      name = model::cpp_name(std::string(location_name(parameter.location)) + "_" + name);
    name = members_.add(name);
    Json schema = parameter.schema;
    std::string type = types_.type(schema, base_ + model::type_name(parameter.name));
    if (!parameter.required && !type.starts_with("std::optional<"))
      type = "std::optional<" + type + ">";
    if (parameter.required) is_optional_ = false;
    fields_ += doc_comment(parameter.description);
    fields_ += fmt::format("{} {} = {{}};\n", type, name);
    return name;
  }

  void add_parameter(const ClientParameter& parameter) {
    const std::string member = add_member(parameter);
    building_ += fmt::format("call.{}({}, request.{});\n", location_name(parameter.location),
                             string_literal(parameter.name), member);
  }

  void add_path() {
    std::string_view rest = operation_.path;
    while (!rest.empty()) {
      const std::size_t open = std::min(rest.find('{'), rest.size());
      if (open > 0) {
        building_ += fmt::format("call.path({});\n", string_literal(rest.substr(0, open)));
      }
      rest.remove_prefix(open);
      if (rest.empty()) return;
      const std::size_t close = std::min(rest.find('}'), rest.size() - 1);
      add_path_parameter(rest.substr(1, close - 1));
      rest.remove_prefix(close + 1);
    }
  }

  void add_path_parameter(std::string_view name) {
    const auto found =
        std::ranges::find_if(operation_.parameters, [&](const ClientParameter& parameter) {
          return parameter.location == ParameterLocation::path && parameter.name == name;
        });
    ClientParameter parameter;
    if (found != operation_.parameters.end()) {
      parameter = *found;
    } else {
      parameter.name = name;
      parameter.location = ParameterLocation::path;
      parameter.schema["type"] = "string";
    }
    parameter.required = true;
    const std::string member = add_member(parameter);
    building_ += parameter.wildcard ? fmt::format("call.segments(request.{});\n", member)
                                    : fmt::format("call.segment({}, request.{});\n",
                                                  string_literal(parameter.name), member);
  }

  void add_body(const ClientBody& body) {
    const bool is_form = is_object(body.form);
    const bool is_json = !body.json.is_null();
    const bool is_choice = is_form && is_json;
    const bool required = body.required && !is_choice;
    if (is_form)
      add_body_member("form", types_.form_type(body.form, base_ + "Form"), "form", required);
    if (is_json) add_body_member("body", types_.type(body.json, base_ + "Body"), "json", required);
    if (!is_form && !is_json) add_body_member("body", "RawBody", "raw", required);
    if (body.required) is_optional_ = false;
    if (body.required && is_choice) building_ += "call.require_body();\n";
  }

  void add_body_member(const std::string& member, std::string type, std::string_view kind,
                       bool required) {
    if (!required && !type.starts_with("std::optional<")) type = "std::optional<" + type + ">";
    fields_ += fmt::format("{} {} = {{}};\n", type, member);
    building_ += required ? fmt::format("call.{}(request.{});\n", kind, member)
                          : fmt::format("if (request.{0}) call.{1}(*request.{0});\n", member, kind);
  }

  bool is_object(const Json& schema) const {
    return schema.is_object() && types_.resolve(schema).contains("properties");
  }

  const ClientOperation& operation_;
  CppTypes& types_;
  std::string base_;
  std::string name_;
  model::NameScope members_;
  std::string fields_;
  std::string building_;
  bool is_optional_ = true;
};

}  // namespace

CppRequest cpp_request(const ClientOperation& operation, CppTypes& types, model::NameScope& names) {
  return RequestWriter(operation, types, names).write();
}

}  // namespace fairway::emit
