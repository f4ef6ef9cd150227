// From parsed files to an application: every rule that needs no Clang runs here.
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
  std::vector<std::string> middlewares;  ///< names that the program brings besides middlewares/
};

struct Resolution {
  model::Application application;  ///< complete when no diagnostic is an error
  model::Diagnostics diagnostics;  ///< of the front end and of the rules, sorted
};

/// The result does not depend on the order of `files`.
Resolution resolve(const std::vector<model::ParsedFile>& files, const ResolveOptions& options);

// route_options.cpp: From the resolved options of one registration to the model.

/// Fills everything of `route` that its options declare, the fingerprint included, and reports
/// what is wrong with each of them. `options` is null for a registration without options;
/// `parameters` are those of the route's path.
void apply_options(const model::Value* options, const std::vector<std::string>& parameters,
                   model::Route& route, Reporter& reporter);

}  // namespace fairway::check
