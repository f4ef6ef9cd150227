#include "cli/commands.hpp"

#include <array>

namespace fairway::cli {
namespace {

constexpr std::array kCommands = {
    command::CommandRow{"new", "create a project", declare_new},
    command::CommandRow{"dev", "serve a project, and rebuild it after each change", declare_dev},
    command::CommandRow{"test", "build a project and run its tests", declare_test},
    command::CommandRow{"build", "write the generated files of an application", declare_build},
    command::CommandRow{"doctor", "report errors and warnings", declare_doctor},
    command::CommandRow{"openapi", "write the OpenAPI document", declare_openapi},
    command::CommandRow{"client", "write a typed client for the routes", declare_client},
    command::CommandRow{"routes", "print the route table", declare_routes},
    command::CommandRow{"observe", "write alert rules, a dashboard, or the list of metrics",
                        declare_observe},
    command::CommandRow{"rewrite-schemas", "turn schema maps into structs",
                        declare_rewrite_schemas},
    command::CommandRow{"diff", "report breaking changes between two documents", declare_diff},
    command::CommandRow{"contract", "test that an application does what its document says",
                        declare_contract},
    command::CommandRow{"lsp", "serve an editor: diagnostics, completion and more", declare_lsp},
    command::CommandRow{"mcp", "serve an agent: routes, diagnostics, documents, requests",
                        declare_mcp},
};

}  // namespace

std::span<const command::CommandRow> all_commands() { return kCommands; }

}  // namespace fairway::cli
