#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "diff/comparisons.hpp"

namespace fairway::diff {
namespace {

struct Parameter {
  std::string in;
  std::string name;  ///< the name in the document
  std::string key;   ///< the part of the name that identifies it in a request
  Node node;
  bool is_required = false;
  bool is_deprecated = false;

  std::string label() const { return fmt::format("{} parameter '{}'", in, name); }
  Location location() const { return {label(), ""}; }
};

/// The key of a path parameter is its position: "{0}" for "id" in "/users/{id}/{page}".
std::string path_key(const std::string& path, const std::string& name) {
  std::size_t position = 0;
  for (std::size_t begin = path.find('{'); begin != std::string::npos;
       begin = path.find('{', begin + 1)) {
    const std::size_t end = path.find('}', begin);
    if (end == std::string::npos) break;
    if (path.substr(begin + 1, end - begin - 1) == name) return fmt::format("{{{}}}", position);
    ++position;
  }
  return name;
}

void read_parameters(const Document& document, const std::string& path, const Node& list,
                     std::vector<Parameter>& parameters) {
  for (std::size_t i = 0; list && i < list.value->size(); ++i) {
    const Node node = document.resolved(list.item(i));
    const Node name = node.member("name");
    const Node in = node.member("in");
    if (!name || !in || !name.value->is_string() || !in.value->is_string()) {
      document.fail(node, "a parameter must have a 'name' and an 'in'");
    }
    Parameter parameter{*in.value,
                        *name.value,
                        {},
                        node,
                        is_true(node.member("required")),
                        is_true(node.member("deprecated"))};
    const bool is_header = parameter.in == "header";
    parameter.key = parameter.in == "path" ? path_key(path, parameter.name)
                    : is_header            ? fw::base::lower_case(parameter.name)
                                           : parameter.name;
    // OpenAPI says that header parameters with these names are ignored.
    if (is_header && (parameter.key == "accept" || parameter.key == "content-type" ||
                      parameter.key == "authorization")) {
      continue;
    }
    const auto known = std::ranges::find_if(parameters, [&](const Parameter& other) {
      return other.in == parameter.in && other.key == parameter.key;
    });
    if (known == parameters.end()) {
      parameters.push_back(std::move(parameter));
    } else {
      *known = std::move(parameter);
    }
  }
}

std::vector<Parameter> parameters_of(const Document& document, const ParameterOwner& owner) {
  std::vector<Parameter> parameters;
  read_parameters(document, owner.path, document.array(owner.item, "parameters"), parameters);
  read_parameters(document, owner.path, document.array(owner.operation, "parameters"), parameters);
  return parameters;
}

const Parameter* find(const std::vector<Parameter>& parameters, const Parameter& wanted) {
  const auto found = std::ranges::find_if(parameters, [&](const Parameter& other) {
    return other.in == wanted.in && other.key == wanted.key;
  });
  return found == parameters.end() ? nullptr : &*found;
}

/// A parameter with the same name in a location where the other document has none with this name.
const Parameter* find_elsewhere(const std::vector<Parameter>& parameters,
                                const std::vector<Parameter>& others, const Parameter& wanted) {
  const auto found = std::ranges::find_if(parameters, [&](const Parameter& other) {
    return other.in != wanted.in &&
           fw::base::lower_case(other.name) == fw::base::lower_case(wanted.name) &&
           !find(others, other);
  });
  return found == parameters.end() ? nullptr : &*found;
}

/// The media type and schema of a parameter that is described by `content`.
struct Described {
  std::string media_type;
  Node schema;
};

Described described(const Document& document, const Parameter& parameter) {
  const Node content = document.object(parameter.node, "content");
  if (!content || content.value->empty()) return {"", parameter.node.member("schema")};
  const std::string media_type = content.value->items().begin().key();
  return {media_type, content.member(media_type).member("schema")};
}

std::string serialization(const Parameter& parameter, const std::string& media_type,
                          bool has_parts) {
  if (!media_type.empty()) return fmt::format("'{}'", media_type);
  const Node style = parameter.node.member("style");
  const bool is_form = parameter.in == "query" || parameter.in == "cookie";
  const std::string name = style && style.value->is_string() ? style.value->get<std::string>()
                           : is_form                         ? "form"
                                                             : "simple";
  std::string text = fmt::format("style '{}'", name);
  const Node explode = parameter.node.member("explode");
  if (has_parts) {
    const bool is_exploded = explode ? is_true(explode) : name == "form";
    text += is_exploded ? " with explode" : " without explode";
  }
  return text;
}

void compare_parameter(const Documents& documents, const Parameter& before, const Parameter& after,
                       Recorder& recorder) {
  const Location location = after.location();
  if (before.name != after.name && before.in == "path") {
    const bool has_metrics = documents.after.source() == Document::Source::manifest;
    recorder.add(
        "path-parameter-renamed", location, before.node, after.node,
        fmt::format("path parameter '{}' became '{}'{}", before.name, after.name,
                    has_metrics ? ", and the metrics of the route have another 'http_route'" : ""));
  }
  if (before.is_required != after.is_required) {
    recorder.add(after.is_required ? "parameter-became-required" : "parameter-became-optional",
                 location, before.node, after.node,
                 after.is_required ? "the optional parameter became required"
                                   : "the required parameter became optional");
  }
  if (before.is_deprecated != after.is_deprecated) {
    recorder.add(after.is_deprecated ? "parameter-deprecated" : "parameter-no-longer-deprecated",
                 location, before.node, after.node,
                 after.is_deprecated ? "the parameter became deprecated"
                                     : "the parameter is no longer deprecated");
  }
  const bool allowed_empty = is_true(before.node.member("allowEmptyValue"));
  const bool allows_empty = is_true(after.node.member("allowEmptyValue"));
  if (after.in == "query" && allowed_empty != allows_empty) {
    recorder.add(
        allows_empty ? "parameter-empty-value-allowed" : "parameter-empty-value-forbidden",
        location, before.node, after.node,
        allows_empty ? "the parameter may be empty" : "the parameter must no longer be empty");
  }
  const Described old_value = described(documents.before, before);
  const Described new_value = described(documents.after, after);
  const Conjunction old_schema = conjunction_of(old_value.schema);
  const Conjunction new_schema = conjunction_of(new_value.schema);
  const unsigned types = read_schema(documents.before, old_schema).types |
                         read_schema(documents.after, new_schema).types;
  const bool has_parts = (types & (kArray | kObject)) != 0;
  const std::string was = serialization(before, old_value.media_type, has_parts);
  const std::string is = serialization(after, new_value.media_type, has_parts);
  if (was != is) {
    recorder.add("parameter-serialization-changed", location, before.node, after.node,
                 fmt::format("{} became {}", was, is));
  }
  const bool is_text = old_value.media_type.empty() && new_value.media_type.empty();
  SchemaComparison(documents, Direction::request, is_text, recorder)
      .compare(old_schema, new_schema, location);
  compare_descriptions(before.node, after.node, location, recorder);
  compare_extensions(before.node, after.node, location, recorder);
}

}  // namespace

void compare_parameters(const Documents& documents, const ParameterOwner& before,
                        const ParameterOwner& after, Recorder& recorder) {
  const auto old_parameters = parameters_of(documents.before, before);
  const auto new_parameters = parameters_of(documents.after, after);
  for (const Parameter& parameter : old_parameters) {
    if (const Parameter* other = find(new_parameters, parameter)) {
      compare_parameter(documents, parameter, *other, recorder);
    } else if (const Parameter* moved = find_elsewhere(new_parameters, old_parameters, parameter)) {
      recorder.add("parameter-location-changed", parameter.location(), parameter.node, moved->node,
                   fmt::format("{} became {}", parameter.label(), moved->label()));
    } else {
      const std::string_view id =
          parameter.is_deprecated ? "deprecated-parameter-removed" : "parameter-removed";
      recorder.add(
          id, parameter.location(), parameter.node, {},
          fmt::format("{}{} parameter was removed", parameter.is_deprecated ? "deprecated " : "",
                      parameter.is_required ? "required" : "optional"));
    }
  }
  for (const Parameter& parameter : new_parameters) {
    if (find(old_parameters, parameter) ||
        find_elsewhere(old_parameters, new_parameters, parameter)) {
      continue;
    }
    recorder.add(
        parameter.is_required ? "required-parameter-added" : "optional-parameter-added",
        parameter.location(), {}, parameter.node,
        fmt::format("{} parameter was added", parameter.is_required ? "required" : "optional"));
  }
}

}  // namespace fairway::diff
