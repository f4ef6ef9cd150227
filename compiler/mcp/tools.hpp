// The tools of the server, as clients see them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rpc/json_rpc.hpp"

namespace fairway::mcp {

using rpc::Json;

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  bool reads_only = true;
  Json input;   ///< the schema of the arguments
  Json output;  ///< the schema of the structured content
};

std::span<const Tool> tools();
/// Those that need no running program; the others follow them.
std::span<const Tool> tools_without_program();

/// A tool in the result of `tools/list`.
Json to_json(const Tool& tool);

/// Why the arguments do not match the schema of the tool; empty if they do.
std::string argument_error(const Tool& tool, const Json& arguments);

// The results of `tools/call`.

/// The structured content, also as text for clients that know no other.
Json result_of(Json structured);
/// Something that the model can repair, or has to know.
Json error_result(std::string_view message);

}  // namespace fairway::mcp
