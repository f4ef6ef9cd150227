// The constraints on the options of a route: on single values, and on combinations of options. The
// route compiler reports violations with their source ranges ([conflicting-options]), and the
// application reports them when it starts. Both evaluate the options in the form of the manifest,
// as written or as declared (see schema/fingerprint.hpp).
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::options {

/// A part of the options: the names of members in C++, the indices of items and the names of
/// entries that lead to it.
struct OptionLocation {
  std::vector<std::string> path;
  bool is_name = false;  ///< the name of the last member or entry, not its value
};

struct Violation {
  OptionLocation location;
  std::string message;  ///< "'timeout' must be false or a positive number of milliseconds"
  std::string help;     ///< what to write instead; may be empty
  /// Another option that is involved, and what it does.
  std::optional<OptionLocation> other = {};
  std::string note = {};
  std::string correction = {};  ///< the string to write instead of the value, if there is one

  /// Message and help without source ranges: an item of a list is preceded by the name of the list.
  std::string text() const;
};

/// Violations in the options of a route with this method and these parameters of its path.
std::vector<Violation> violations(const nlohmann::ordered_json& options, std::string_view method,
                                  const std::vector<std::string>& parameters);

/// Violations in `cors` of the configuration, or the members of it that `override_.cors` has.
std::vector<Violation> cors_violations(const nlohmann::ordered_json& cors);

/// Selectors with a schema in both `responses` and `docs.responses`.
std::vector<Violation> duplicate_response_schemas(const nlohmann::ordered_json& options);

// tool_constraints.cpp: What a route must be so that it can be a tool of the endpoint for agents
// (`mcp`). The route compiler reports violations ([not-a-tool]), and so does the application when
// it starts.

struct ToolRoute {
  const nlohmann::ordered_json& options;  ///< as written or as declared
  std::string_view method;
  std::string_view operation_id;  ///< the name of the tool; empty: it is not known
  bool returns_stream = false;    ///< the handler does
};

/// Why the route cannot be a tool; nothing if `mcp` is not set.
std::vector<Violation> tool_violations(const ToolRoute& route);

}  // namespace fw::options
