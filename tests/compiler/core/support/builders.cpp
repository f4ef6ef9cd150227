#include "support/builders.hpp"

#include <fmt/format.h>

#include "emit/application_files.hpp"
#include "rules/route_rules.hpp"

namespace fairway::testing {

using model::ExportKind;
using model::ParsedFile;
using model::Registration;
using model::Value;

Value text(std::string value) {
  Value result;
  result.kind = Value::Kind::string;
  result.text = std::move(value);
  return result;
}

Value text_at(unsigned line, unsigned column, std::string value) {
  Value result = text(std::move(value));
  const auto size = static_cast<unsigned>(result.text.size());
  result.range = {"", line, column, line, column + size + 2};
  for (unsigned i = 1; i <= size; ++i) {
    result.bytes.push_back({"", line, column + i, line, column + i + 1});
  }
  return result;
}

Value integer(std::int64_t value) {
  Value result;
  result.kind = Value::Kind::integer;
  result.integer = value;
  return result;
}

Value number(double value) {
  Value result;
  result.kind = Value::Kind::number;
  result.number = value;
  return result;
}

Value flag(bool value) {
  Value result;
  result.kind = Value::Kind::boolean;
  result.boolean = value;
  return result;
}

Value function() {
  Value result;
  result.kind = Value::Kind::function;
  return result;
}

Value list(std::vector<Value> items) {
  Value result;
  result.kind = Value::Kind::list;
  result.items = std::move(items);
  return result;
}

Value call(std::string builder, std::vector<Value> arguments) {
  Value result;
  result.kind = Value::Kind::call;
  result.text = std::move(builder);
  result.items = std::move(arguments);
  return result;
}

Value record(std::string type, Named members) {
  Value result;
  result.kind = Value::Kind::record;
  result.text = std::move(type);
  for (auto& [name, value] : members) result.members.push_back({name, std::move(value), {}});
  return result;
}

Value entries(const Named& pairs) {
  std::vector<Value> items;
  for (const auto& [name, value] : pairs) items.push_back(list({text(name), value}));
  return list(std::move(items));
}

Value options(Named members) { return record("RouteOptions", std::move(members)); }

Value validate(const std::string& location, const Named& fields) {
  return record("Validate", {{location, entries(fields)}});
}

Registration route(std::string method, std::string path) {
  Registration result;
  result.method = std::move(method);
  result.path = path;
  result.path_value = text(std::move(path));
  return result;
}

Registration route(std::string method, std::string path, Value route_options) {
  Registration result = route(std::move(method), std::move(path));
  result.options = std::move(route_options);
  return result;
}

namespace {

// Gives every place of a value its file; values without a range are at the given line.
void place(Value& value, const std::string& file, unsigned line) {
  if (value.range.line == 0) value.range = {file, line, 1, line, 2};
  value.range.file = file;
  for (auto& run : value.bytes.runs) run.first.file = file;
  for (Value& item : value.items) place(item, file, line);
  for (model::Member& member : value.members) {
    member.name_range = {file, line, 1, line, 2};
    place(member.value, file, line);
  }
}

ParsedFile file_of_kind(std::string path, ExportKind kind) {
  ParsedFile file;
  file.display_path = "src/" + path;
  file.path = std::move(path);
  file.export_kind = kind;
  file.export_range = {file.display_path, 1, 1, 1, 18};
  return file;
}

}  // namespace

ParsedFile route_file(std::string path, std::vector<Registration> registrations) {
  ParsedFile file = file_of_kind(std::move(path), ExportKind::routes);
  unsigned line = 2;
  for (Registration& registration : registrations) {
    registration.range = {file.display_path, line, 3, line, 40};
    registration.method_range = {file.display_path, line, 7, line, 10};
    const Value unplaced = registration.path_value;
    place(registration.path_value, file.display_path, line);
    if (unplaced.range.line == 0) {
      registration.path_value = text_at(line, 11, unplaced.text);
      place(registration.path_value, file.display_path, line);
    }
    if (registration.options) place(*registration.options, file.display_path, line);
    ++line;
  }
  file.registrations = std::move(registrations);
  return file;
}

ParsedFile component_file(std::string path, ExportKind kind) {
  return file_of_kind(std::move(path), kind);
}

ParsedFile reexport_file(std::string path, std::string target) {
  ParsedFile file = file_of_kind(std::move(path), ExportKind::reexport);
  file.reexport_target = std::move(target);
  return file;
}

rules::CheckedApplication checked(const std::vector<ParsedFile>& files,
                                  const resolve::Options& options) {
  return rules::check(files, options, emit::generated_code());
}

rules::CheckedApplication checked(const std::vector<ParsedFile>& files) {
  return checked(files, {.name = "",
                         .source_name = "src",
                         .middlewares = {},
                         .pages = {{"home.html", "src/pages/home.html", "<p>home</p>"},
                                   {"home.js", "src/pages/home.js", ""}}});
}

std::string option_errors(const model::Value& options) {
  const auto resolution =
      checked({route_file("routes/users.cpp", {route("POST", "/:id", options)})});
  std::string lines;
  for (const auto& diagnostic : resolution.diagnostics) {
    lines += diagnostic.id + ": " + diagnostic.message + "\n";
  }
  return lines;
}

std::string summary(const model::Diagnostics& diagnostics) {
  std::string lines;
  for (const model::Diagnostic& diagnostic : diagnostics) {
    lines += fmt::format("{}:{}:{} {}: {}\n", diagnostic.range.file, diagnostic.range.line,
                         diagnostic.range.column, diagnostic.id, diagnostic.message);
  }
  return lines;
}

}  // namespace fairway::testing
