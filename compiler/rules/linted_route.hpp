// A resolved route and its registration. Lints need both the options of the route and the source
// ranges of the registration.
#pragma once

#include <string_view>
#include <vector>

#include "model/app_settings.hpp"
#include "model/application.hpp"
#include "model/parsed_file.hpp"

namespace fairway::rules {

struct LintedRoute {
  const model::Route* route = nullptr;
  const model::Registration* registration = nullptr;
  const model::AppSettings* settings = nullptr;
  bool is_served_once = true;  ///< false for a route that another file re-exports

  /// A member of the written options, or null.
  const model::Member* option(std::string_view name) const;
  /// The range for a diagnostic about a missing part of the option `name`: the name of the option
  /// if the registration contains it, otherwise the method of the registration. Options that routes
  /// share are outside of the registration.
  const model::Range& range_for(std::string_view name) const;
  /// The option `cache`; null if it is absent or switches the cache off.
  const model::Member* active_cache() const;
  /// The same; null also if it does not cache the method of the route.
  const model::Member* effective_cache() const;
  /// Whether all successful requests bypass the cache, because they are authorized and it neither
  /// separates nor allows them.
  bool bypasses(const model::Member& cache) const;
  /// Whether a range is in the registration. Options that routes share are not.
  bool is_written_here(const model::Range& range) const;
};

struct LintedFile {
  const model::RouteFile* file = nullptr;
  std::vector<LintedRoute> routes;
};

/// The routes of an application without errors, in its order. Refers to all arguments.
std::vector<LintedFile> linted_files(const model::Application& application,
                                     const std::vector<model::ParsedFile>& files,
                                     const model::AppSettings& settings);

}  // namespace fairway::rules
