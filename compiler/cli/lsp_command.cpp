// fairway lsp: the language server.
#include <memory>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/edited_application.hpp"
#include "cli/report_findings.hpp"
#include "lsp/server.hpp"
#include "project/settings.hpp"

namespace fairway::cli {
namespace {

struct LspOptions {
  project::ProjectOptions project;
  project::LintOptions lints;
};

}  // namespace

void declare_lsp(command::Command& command) {
  const auto options = std::make_shared<LspOptions>();
  command.synopsis = "[options] [-- FLAGS]";
  command.description =
      "Runs a language server on standard input and output, for editors. While files are edited, "
      "reports the same errors and warnings as 'fairway doctor', with fixes. Provides hover, "
      "definitions, "
      "completion and symbols of routes. Relative paths are relative to the folder that the editor "
      "has opened.";
  command.examples = {{"fairway lsp",
                       "serve an editor, with the flags of the nearest build "
                       "directory"},
                      {"fairway lsp -p build/dev", "use the flags of another build directory"}};
  command.clean = "the editor has ended the session";
  command.findings = "the input ended, or the editor exited, without a shutdown request";
  options->project.declare(command);
  options->lints.declare(command.group("Rules"));
  options->project.declare_jobs(command.group("Performance"));
  command.run = [options](std::span<const std::string>) {
    lsp::Server server(
        STDIN_FILENO, STDOUT_FILENO,
        [options] { return std::make_unique<EditedApplication>(options->project, options->lints); },
        FAIRWAY_VERSION);
    return server.run();
  };
}

}  // namespace fairway::cli
