// [bad-route-path] A path has static segments, parameters and a last wildcard.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check/reporter.hpp"
#include "schema/route_path.hpp"

namespace fairway::check {

/// The final path of a registration, or nothing after reporting why there is none. `subpath` is the
/// path as registered, `path` the final path.
std::optional<fw::schema::RoutePath> checked_path(std::string_view prefix,
                                                  const model::Value& subpath,
                                                  std::string_view path, Reporter& reporter);

/// Whether a file's prefix can begin a path; reports at `range` when it cannot.
bool check_prefix(std::string_view prefix, const model::Range& range, Reporter& reporter);

}  // namespace fairway::check
