// fairway mcp: the server of the Model Context Protocol.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <unistd.h>

#include "base/counted.hpp"
#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "cli/route_table.hpp"
#include "diagnostics/renderers.hpp"
#include "emit/openapi.hpp"
#include "mcp/mcp_server.hpp"
#include "mcp/request_sender.hpp"
#include "project/document_options.hpp"
#include "project/project.hpp"
#include "project/settings.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

struct McpOptions {
  project::ProjectOptions project;
  project::LintOptions lints;
  fs::path folder;
  std::string url;
  bool allows_remote = false;
};

/// The application as the commands `doctor`, `routes` and `openapi` see it.
class CommandSource : public mcp::ToolSource {
 public:
  /// The options must outlive the object.
  explicit CommandSource(const McpOptions& options) : options_(options) {}

  model::Json diagnostics() override {
    const rules::LintSettings settings = options_.lints.settings(options_.project.source_dir);
    return diagnostics::report_json(project::inspect(options_.project, options_.lints, settings));
  }

  model::Json routes() override {
    return route_table_json(without_errors(project::read_project(options_.project)));
  }

  model::Json document() override {
    const project::ProjectReader reader(options_.project);
    project::DocumentOptions document;
    document.app_config = options_.lints.app_config;
    document.complete(reader.add_app_arguments().document);
    model::OpenApiOptions resolved = document.resolved();
    project::set_default_title(resolved, reader.application_name());
    project::Project project = reader.read();
    if (project.report.ok()) require_documented(project);
    return emit::openapi_document(without_errors(std::move(project)), resolved);
  }

 private:
  static model::Application without_errors(project::Project project) {
    if (project.report.ok()) return std::move(project.application);
    throw mcp::ErrorsInRoutes(fmt::format("the routes have {}: the tool 'diagnostics' lists them",
                                          fw::base::counted(project.report.errors(), "error")));
  }

  void require_documented(const project::Project& project) const {
    const auto found =
        project::undocumented_handlers(project, options_.lints, options_.project.source_dir).size();
    if (found == 0) return;
    throw mcp::ErrorsInRoutes(
        fmt::format("the document may lack what {} {}, because {} not compile: the tool "
                    "'diagnostics' lists {}",
                    fw::base::counted(found, "handler"), found == 1 ? "sends" : "send",
                    found == 1 ? "it does" : "they do", found == 1 ? "it" : "them"));
  }

  const McpOptions& options_;
};

int run(const std::shared_ptr<const McpOptions>& options) {
  if (options->allows_remote && options->url.empty()) {
    throw command::UsageError("--allow-remote needs --url");
  }
  if (!options->url.empty()) mcp::check_base_url(options->url, options->allows_remote);
  const fs::path folder = options->folder.empty() ? fs::current_path() : options->folder;
  if (!fs::is_directory(folder)) {
    throw command::UsageError(fmt::format("--project-dir: '{}' is not a folder", folder.string()));
  }
  mcp::Server server(STDIN_FILENO, STDOUT_FILENO,
                     [options] { return std::make_unique<CommandSource>(*options); },
                     {.version = FAIRWAY_VERSION, .folder = folder, .base_url = options->url});
  server.run();
  return command::kClean;
}

}  // namespace

void declare_mcp(command::Command& command) {
  const auto options = std::make_shared<McpOptions>();
  command.synopsis = "[options] [-- FLAGS]";
  command.description =
      "Runs a server of the Model Context Protocol on standard input and output, for agents that "
      "write code. Its tools show the routes, the errors and warnings, the rules and the OpenAPI "
      "document of the project as it is on disk, and send requests to the running program.";
  command.examples = {{"fairway mcp", "serve an agent that starts it in the project"},
                      {"fairway mcp --project-dir ~/shop --url http://127.0.0.1:3000",
                       "serve an agent that starts it elsewhere; it may send requests"}};
  command.clean = "the input has ended";
  command.findings = "";
  options->project.declare(command);
  const command::OptionGroup server = command.group("Server");
  server.path("--project-dir", "DIR", options->folder,
              "folder of the project, for relative paths; default: the working directory");
  server.path(
      "--url", "URL", options->url,
      "base URL of the running program, for the tools 'call', 'requests' and 'trace', which do "
      "not exist without it; must be of this machine: http://127.0.0.1:3000");
  server.flag("--allow-remote", options->allows_remote,
              "accept a URL of another machine; only http");
  options->lints.declare(command.group("Rules"));
  options->project.declare_jobs(command.group("Performance"));
  command.run = [options](std::span<const std::string>) { return run(options); };
}

}  // namespace fairway::cli
