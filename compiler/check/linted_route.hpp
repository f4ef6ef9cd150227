// A resolved route beside the registration that it comes from: lints need what the route means and
// where its parts are written.
#pragma once

#include <string_view>
#include <vector>

#include "model/application.hpp"
#include "model/parsed_file.hpp"

namespace fairway::check {

struct LintedRoute {
  const model::Route* route = nullptr;
  const model::Registration* registration = nullptr;
  bool is_served_once = true;  ///< false for a route that several files bring by re-export

  /// A member of the written options, or null.
  const model::Member* option(std::string_view name) const;
  /// Where to write what the option `name` lacks: its name where it is written in the registration,
  /// else the registration's method. Options that routes share lie elsewhere.
  const model::Range& range_for(std::string_view name) const;
};

struct LintedFile {
  const model::RouteFile* file = nullptr;
  std::vector<LintedRoute> routes;
};

/// The routes of an application without errors, in its order.
std::vector<LintedFile> linted_files(const model::Application& application,
                                     const std::vector<model::ParsedFile>& files);

// Methods that only read (RFC 9110, safe methods). The runtime parses no bodies of them.

inline bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

}  // namespace fairway::check
