// fairway openapi: writes the OpenAPI document of the routes.
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "emit/openapi.hpp"
#include "files/whole_file.hpp"
#include "project/document_options.hpp"
#include "project/project.hpp"

namespace fairway::cli {
namespace {

constexpr std::array<command::Choice<emit::DocumentFormat>, 2> kDocumentFormats = {
    {{"json", emit::DocumentFormat::json}, {"yaml", emit::DocumentFormat::yaml}}};

struct OpenApiCommandOptions {
  project::ProjectOptions project;
  std::filesystem::path file;
  std::optional<emit::DocumentFormat> format;
  project::DocumentOptions document;
  ReportOptions report;
};

int run(OpenApiCommandOptions& options) {
  (void)options.document.resolved();  // reports errors of the options before errors of the project
  const project::ProjectReader reader(options.project);
  options.document.complete(reader.add_app_arguments().document);
  model::OpenApiOptions document_options = options.document.resolved();
  project::set_default_title(document_options, reader.application_name());
  project::Project project = reader.read();
  project::require_handlers(project, options.project.source_dir);
  if (!project.report.ok()) return report_findings(project.report, options.report, std::cerr);
  const std::string text =
      emit::document_text(emit::openapi_document(project.application, document_options),
                          options.format.value_or(emit::format_of(options.file)));
  if (options.file.empty()) {
    std::cout << text;
  } else {
    files::replace_file(options.file, text);
  }
  return command::kClean;
}

}  // namespace

void declare_openapi(command::Command& command) {
  const auto options = std::make_shared<OpenApiCommandOptions>();
  command.synopsis = "[options] [-- FLAGS]";
  command.description =
      "Writes the OpenAPI document of the routes, as JSON or YAML. In the build "
      "directory, CMake stores the options that fairway_add_app passes to 'fairway build'. This "
      "command also uses its document options and --middleware, but the options given here take "
      "precedence.";
  command.examples = {
      {"fairway openapi -p build -o openapi.yaml --app-config config/default.json",
       "write YAML, with the servers of the application's configuration"},
      {"fairway openapi --openapi 3.0 | jq .paths", "show the paths of an OpenAPI 3.0 document"}};
  options->project.declare(command);
  const command::OptionGroup output = command.group("Output");
  output.path("-o", "FILE", options->file, "write to FILE instead of standard output");
  output.choice("--format", "FORMAT", options->format, kDocumentFormats,
                "json or yaml; default: yaml if FILE ends in .yaml or .yml, otherwise json");
  command.group("").choice("--output-format", "FORMAT", options->format, kDocumentFormats, "");
  options->document.declare(command);
  options->report.declare(command, options->project);
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
