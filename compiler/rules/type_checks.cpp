// [conflicting-schema] [same-name-types] and the strings of fw::Field
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

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

void check_typed_reads(const model::Registration& registration, const model::Route& route,
                       Reporter& reporter) {
  if (!registration.options_resolved) return;
  const auto plain = [](std::string_view name) {
    return name.substr(name.starts_with("::") ? 2 : 0);
  };
  for (const model::TypedRead& read : registration.handler.typed_reads) {
    const auto input = std::ranges::find(registration.signature.inputs, read.location,
                                         &model::TypedInput::location);
    const bool is_parameter = input != registration.signature.inputs.end();
    const model::LocationSchema* declared = route.schema_of(read.location);
    const std::string type = is_parameter          ? input->type.name
                             : declared != nullptr ? declared->type
                                                   : std::string();
    if (type == read.type) continue;
    const std::string part = read.location == "param" ? "path" : read.location;
    auto& error = reporter.report(
        model::rules::conflicting_schema,
        type.empty() ? fmt::format("the handler reads the {} as '{}', which the route does not "
                                   "declare for it",
                                   part, plain(read.type))
                     : fmt::format("the handler reads the {} as '{}', and the route declares it as "
                                   "'{}'",
                                   part, plain(read.type), plain(type)),
        read.range,
        type.empty() ? fmt::format("write '.validate = {{.{} = fw::type<{}>}}'", read.location,
                                   plain(read.type))
                     : fmt::format("write 'req.valid<{}>(fw::Location::{})', or declare '{}'",
                                   plain(type), read.location, plain(read.type)));
    const model::Range range = is_parameter          ? input->range
                               : declared != nullptr ? declared->range
                                                     : model::Range();
    if (range.line != 0) error.notes.push_back({"it is declared here", range});
  }
}

void check_generated_inputs(const model::Registration& registration,
                            const std::vector<model::UsedType>& types, Reporter& reporter) {
  if (!registration.options) return;
  const auto check = [&](const model::Value& schema) {
    if (!model::is_type(schema)) return;
    const std::string& name = schema.items[0].text;
    const auto used = std::ranges::find_if(types, [&](const model::UsedType& each) {
      return each.use.name == name && !each.use.is_readable;
    });
    if (used == types.end()) return;
    const bool is_generated = std::ranges::any_of(
        used->use.generated, [&](const auto& each) { return each.name == name; });
    const std::string shown = name.starts_with("::") ? name.substr(2) : name;
    reporter.report(model::rules::unsupported_type,
                    is_generated
                        ? fmt::format("no request is read into the generated struct '{}'", shown)
                        : fmt::format("no request is read into '{}', which contains a generated "
                                      "struct",
                                      shown),
                    schema.range, std::string(model::rules::kGeneratedInputHelp));
  };
  if (const auto* validate = member_value(*registration.options, "validate")) {
    for (const model::Member& member : validate->members) check(member.value);
  }
  if (const auto* messages = member_value(*registration.options, "receive")) {
    for (const model::Value& message : messages->items) {
      if (model::is_named_entry(message)) check(message.items[1]);
    }
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

namespace {

/// The names of the types of a file that are components of the document: all except the structs
/// whose members are parameters.
std::set<std::string> components_of(const model::ParsedFile& file) {
  std::set<std::string> names;
  const auto add = [&](const model::TypeUse& use) {
    names.insert(use.types.begin(), use.types.end());
  };
  for (const model::Registration& registration : file.registrations) {
    for (const model::TypedInput& input : registration.signature.inputs) {
      if (input.location == "body" || input.type.types.empty()) {
        add(input.type);
      } else {
        names.insert(input.type.types.begin() + 1, input.type.types.end());
      }
    }
    for (const model::TypedResult& result : registration.signature.results) add(result.type);
    for (const model::SentResponse& sent : registration.handler.sent) add(sent.type);
  }
  for (const model::TypeUse& use : file.named_types) add(use);
  return names;
}

}  // namespace

void check_type_names(const std::vector<const model::ParsedFile*>& files,
                      model::Diagnostics& diagnostics) {
  struct Definition {
    const model::CppType* type = nullptr;
    const model::ParsedFile* file = nullptr;
  };
  const auto is_one = [](const model::CppType& a, const model::CppType& b) {
    return a.name == b.name && a.range == b.range;
  };
  std::map<std::string, Definition> by_name;  // of types in headers
  std::map<std::string, Definition> by_component;
  std::set<std::string> reported;
  for (const model::ParsedFile* file : files) {
    const std::set<std::string> components = components_of(*file);
    for (const model::CppType& type : file->types) {
      const Definition own{&type, file};
      Definition other;
      if (!type.header.empty()) other = by_name.emplace(type.name, own).first->second;
      if (components.contains(type.name)) {
        const Definition& first = by_component.emplace(type.component, own).first->second;
        if (!is_one(*first.type, type)) other = first;
      }
      if (other.type == nullptr) continue;
      const bool is_same = is_one(*other.type, type);
      if (is_same && other.type->schema == type.schema && other.type->size == type.size) continue;
      if (!reported.insert(type.component + type.range.file).second) continue;
      Reporter reporter(diagnostics);
      if (is_same) {
        // A macro of a route file, or what it includes before, changes the header.
        reporter.report(
            model::rules::same_name_types,
            fmt::format("the type '{}' is another one in '{}' than in '{}'", type.component,
                        file->path, other.file->path),
            type.range,
            "remove what its header takes from the files that include it, such as a macro");
        continue;
      }
      reporter
          .report(model::rules::same_name_types,
                  fmt::format("two types have the name '{}' in the document", type.component),
                  type.range, "rename one of them")
          .notes.push_back({"the other one is defined here", other.type->range});
    }
  }
}

}  // namespace fairway::rules
