// Builds an application from parsed files. Files and registrations with errors are omitted; rules/
// reports the errors.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.hpp"
#include "model/parsed_file.hpp"
#include "resolve/route_files.hpp"

namespace fairway::resolve {

struct Options {
  std::string name;                      ///< of `--name`, see model::Application
  std::string source_name;               ///< see model::Application
  std::vector<std::string> middlewares;  ///< names of `--middleware`, in addition to middlewares/
  std::vector<model::PageFile> pages = {};     ///< the files of pages/
  std::set<std::string> missing_headers = {};  ///< names in includes of generated headers that no
                                               ///< application has
};

/// The application that parsed files declare. Of several files with the same prefix, the first by
/// path serves it; routes with invalid paths are omitted.
model::Application resolve_application(const FileIndex& files, const Options& options);

/// A route file without its routes.
model::RouteFile resolved_file(const model::ParsedFile& file);

/// The route that a registration declares in a file, which is the one that re-exports it if there
/// is one. Its path may be invalid.
model::Route resolved_route(const model::Registration& registration, const model::RouteFile& file);

// route_options.cpp: Converts the resolved options of one registration to the model.

/// Sets the members of `route` that its options and the parameters of its handler declare,
/// including the fingerprint. `options` is null for a registration without options. Members with
/// errors are omitted.
void apply_options(const model::Value* options, const model::Signature& signature,
                   model::Route& route);

// types.cpp: What the C++ types of handlers mean for routes.

/// The schema of `type` in the form of the manifest: `{"$type": …}`.
model::Json type_json(const model::TypeUse& type);
/// Adds the parameters of a handler to `validate` of its options, in the form of the manifest.
void add_inputs(const model::Signature& signature, model::Json& options);
/// Adds what a handler returns to what it sends, and schemas of the responses that `responses`
/// does not declare.
void add_results(const model::Registration& registration, model::Route& route);
/// Collects the types of all routes in the application, for the code that is generated for them.
void add_types(const FileIndex& files, model::Application& application);

/// The entry with that name in a named list, or null.
const model::Value* named_entry(const model::Value& entries, std::string_view name);

}  // namespace fairway::resolve
