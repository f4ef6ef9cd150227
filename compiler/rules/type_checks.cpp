// [conflicting-schema] [same-name-types] and the strings of fw::Field
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/type_rules.hpp"
#include "model/value_members.hpp"
#include "resolve/resolve.hpp"
#include "rules/application_rules.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {

void check_field_texts(const std::vector<const model::ParsedFile*>& files,
                       model::Diagnostics& diagnostics) {
  std::set<model::Range> checked;  // a header belongs to several files
  for (const model::ParsedFile* file : files) {
    for (const model::Value& text : file->field_texts) {
      if (!checked.insert(text.range).second) continue;
      Reporter reporter(diagnostics);
      const fw::schema::Node node = parsed_text(text, reporter);
      if (node.required || node.default_value || text.text.empty()) continue;
      reporter.report(rules::bad_schema, "a type cannot be optional by itself",
                      part_of(text, text.text.size() - 1, 1),
                      "remove the '?' and write 'std::optional<fw::Field<…>>' for the member");
    }
  }
}

namespace {

/// A stream that `responses` declares, too.
void check_returned_stream(const model::Registration& registration, Reporter& reporter) {
  const auto& results = registration.signature.results;
  if (results.empty() || results.front().stream.empty() || !registration.options) return;
  const model::Value* responses = member_value(*registration.options, "responses");
  const model::Value* entry = responses ? resolve::named_entry(*responses, "200") : nullptr;
  if (!entry) return;
  reporter
      .report(model::rules::conflicting_schema,
              fmt::format("'responses' and the result of the handler both declare the {} of status "
                          "200",
                          results.front().stream),
              entry->items[0].range, "keep one of them")
      .notes.push_back({"the result is declared here", results.front().range});
}

}  // namespace

void check_conflicting_schemas(const model::Registration& registration, Reporter& reporter) {
  check_returned_stream(registration, reporter);
  const model::Value* validate =
      registration.options ? member_value(*registration.options, "validate") : nullptr;
  if (validate == nullptr) return;
  for (const model::TypedInput& input : registration.signature.inputs) {
    const model::Member* member = find_member(*validate, input.location);
    if (member == nullptr) continue;
    reporter
        .report(model::rules::conflicting_schema,
                fmt::format("'validate.{}' and a parameter of the handler both declare the {}",
                            input.location, input.location == "body" ? "body" : input.location),
                member->name_range, "keep one of them")
        .notes.push_back({"the parameter is declared here", input.range});
  }
}

void check_typed_parameters(const model::Registration& registration, const model::Route& route,
                            const std::vector<std::string>& names, Reporter& reporter) {
  const auto input =
      std::ranges::find(registration.signature.inputs, "param", &model::TypedInput::location);
  const model::LocationSchema* schema = route.schema_of("param");
  if (input == registration.signature.inputs.end() || schema == nullptr) return;
  for (const fw::schema::Field& field : schema->schema.fields) {
    if (std::ranges::find(names, field.name) != names.end()) continue;
    reporter.report(rules::unknown_path_parameter,
                    fmt::format("the path has no parameter '{}', a member of '{}'", field.name,
                                schema->schema.name),
                    input->range, parameters_help(names, field.name));
  }
}

void check_type_names(const std::vector<const model::ParsedFile*>& files,
                      model::Diagnostics& diagnostics) {
  struct Definition {
    const model::CppType* type = nullptr;
    const model::ParsedFile* file = nullptr;
  };
  std::map<std::string, Definition> by_component;
  std::set<std::string> reported;
  for (const model::ParsedFile* file : files) {
    for (const model::CppType& type : file->types) {
      const auto [first, is_new] = by_component.emplace(type.component, Definition{&type, file});
      const model::CppType& other = *first->second.type;
      const bool is_one = other.name == type.name && other.range == type.range;
      if (is_new || (is_one && other.schema == type.schema && other.size == type.size)) continue;
      if (!reported.insert(type.component + type.range.file).second) continue;
      Reporter reporter(diagnostics);
      if (is_one) {
        // A macro of a route file, or what it includes before, changes the header.
        reporter.report(
            model::rules::same_name_types,
            fmt::format("the type '{}' is another one in '{}' than in '{}'", type.component,
                        file->path, first->second.file->path),
            type.range,
            "remove what its header takes from the files that include it, such as a macro");
        continue;
      }
      reporter
          .report(model::rules::same_name_types,
                  fmt::format("two types have the name '{}' in the document", type.component),
                  type.range, "rename one of them")
          .notes.push_back({"the other one is defined here", other.range});
    }
  }
}

}  // namespace fairway::rules
