// Resolves an application from parsed files and checks every rule that does not need Clang.
#pragma once

#include <vector>

#include "model/application.hpp"
#include "model/diagnostic.hpp"
#include "model/parsed_file.hpp"
#include "resolve/generated_code.hpp"
#include "resolve/resolve.hpp"

namespace fairway::rules {

struct CheckedApplication {
  model::Application application;  ///< complete if no diagnostic is an error
  model::Diagnostics diagnostics;  ///< of the front end and of the rules, sorted
};

/// The result does not depend on the order of `files`.
CheckedApplication check(const std::vector<model::ParsedFile>& files,
                         const resolve::Options& options, const resolve::GeneratedCode& code);

}  // namespace fairway::rules
