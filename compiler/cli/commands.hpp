// The commands of `fairway`, each in a file of its own.
#pragma once

#include <span>

#include "command/command_line.hpp"

namespace fairway::cli {

/// In the order of the help.
std::span<const command::CommandRow> all_commands();

void declare_build(command::Command& command);
void declare_client(command::Command& command);
void declare_contract(command::Command& command);
void declare_dev(command::Command& command);
void declare_diff(command::Command& command);
void declare_doctor(command::Command& command);
void declare_lsp(command::Command& command);
void declare_mcp(command::Command& command);
void declare_new(command::Command& command);
void declare_observe(command::Command& command);
void declare_openapi(command::Command& command);
void declare_rewrite_schemas(command::Command& command);
void declare_routes(command::Command& command);
void declare_test(command::Command& command);

}  // namespace fairway::cli
