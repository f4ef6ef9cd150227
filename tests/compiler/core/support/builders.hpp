// Resolved values and files, built by hand as the front end builds them from source.
//
//   route_file("routes/users.cpp",
//              {route("POST", "/", options({{"validate", validate_body({{"name",
//              text("string")}})}}))})
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/parsed_file.hpp"
#include "rules/check.hpp"

namespace fairway::testing {

using Named = std::vector<std::pair<std::string, model::Value>>;

model::Value text(std::string value);
/// A string literal with source ranges; `column` is the opening quote.
model::Value text_at(unsigned line, unsigned column, std::string value);
model::Value integer(std::int64_t value);
model::Value number(double value);
model::Value flag(bool value);
model::Value function();
model::Value list(std::vector<model::Value> items);
model::Value call(std::string builder, std::vector<model::Value> arguments);
model::Value record(std::string type, Named members);
/// `{{"name", value}, …}`
model::Value entries(const Named& pairs);

/// A record of RouteOptions.
model::Value options(Named members);
/// `validate` with one location.
model::Value validate(const std::string& location, const Named& fields);

/// Registrations are numbered: the n-th of a file is in line n + 1.
model::Registration route(std::string method, std::string path);
model::Registration route(std::string method, std::string path, model::Value options);

model::ParsedFile route_file(std::string path, std::vector<model::Registration> registrations);
model::ParsedFile component_file(std::string path, model::ExportKind kind);
model::ParsedFile reexport_file(std::string path, std::string target);

rules::CheckedApplication checked(const std::vector<model::ParsedFile>& files,
                                  const resolve::Options& options);
/// With the defaults, in an application with the page 'home' and its script.
rules::CheckedApplication checked(const std::vector<model::ParsedFile>& files);

/// The diagnostics of a route POST /:id with these options: "id: message", one line each.
std::string option_errors(const model::Value& options);

/// "file:line:col id: message", one line each, for comparison with expectations.
std::string summary(const model::Diagnostics& diagnostics);

}  // namespace fairway::testing
