// Builds an application from parsed files and runs every rule that does not need Clang.
#pragma once

#include <string>
#include <vector>

#include "check/reporter.hpp"
#include "model/application.hpp"
#include "model/diagnostic.hpp"
#include "model/parsed_file.hpp"

namespace fairway::check {

struct ResolveOptions {
  std::string name;                      ///< of `--name`, see model::Application
  std::string source_name;               ///< see model::Application
  std::vector<std::string> middlewares;  ///< names of `--middleware`, in addition to middlewares/
  std::vector<model::PageFile> pages = {};  ///< the files of pages/
};

struct Resolution {
  model::Application application;  ///< complete if no diagnostic is an error
  model::Diagnostics diagnostics;  ///< of the front end and of the rules, sorted
};

/// The result does not depend on the order of `files`.
Resolution resolve(const std::vector<model::ParsedFile>& files, const ResolveOptions& options);

// route_options.cpp: Converts the resolved options of one registration to the model.

/// Sets the members of `route` that its options declare, including the fingerprint, and reports the
/// errors in them. `options` is null for a registration without options; `parameters` are the names
/// of the path parameters.
void apply_options(const model::Value* options, const std::vector<std::string>& parameters,
                   model::Route& route, Reporter& reporter);

}  // namespace fairway::check
