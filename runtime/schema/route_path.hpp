// The parser for declared route paths (docs/routing.md), shared by the route compiler and
// the matcher.
//
//   auto parsed = fw::schema::parse_route_path("/users/:id/files/*rest");
//   if (auto* path = std::get_if<fw::schema::RoutePath>(&parsed)) { ... path->names ... }
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fw::schema {

/// A piece of a segment such as `:name.:ext`: literal text, or a parameter.
struct SegmentPart {
  bool is_parameter = false;
  std::string text;          ///< literal text in lower case, or the parameter's name
  std::string written = {};  ///< literal text in the source
};

/// The part between two slashes.
struct Segment {
  enum class Kind { literal, pattern, parameter, wildcard };

  Kind kind = Kind::literal;
  std::string text;  ///< literal: lower case; parameter: its name; wildcard: its name, or "*"
  std::string written = {};        ///< literal: the text in the source
  std::vector<SegmentPart> parts;  ///< pattern: alternating literals and parameters
};

/// A checked path.
struct RoutePath {
  std::vector<Segment> segments;
  std::vector<std::string> names;  ///< parameters and the wildcard in order of appearance

  /// The path without letter case and parameter names: equal for paths that match the same
  /// requests. `/Users/:id` has the shape `/users/:`.
  std::string shape() const;
};

/// A syntax error in a path. `offset` and `length` count bytes of the path.
struct PathError {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string message;  ///< lower case, without the path
  std::string help;     ///< what to write instead; may be empty
};

/// Parses a final path such as `/users/:id`. Trailing slashes are ignored.
std::variant<RoutePath, PathError> parse_route_path(std::string_view path);

/// The final path of a subpath below a prefix: `/users` and `/:id` give `/users/:id`, `/users` and
/// `/` give `/users`; trailing slashes go.
std::string join_route_paths(std::string_view prefix, std::string_view subpath);

}  // namespace fw::schema
