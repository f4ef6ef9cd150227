// fairway client: writes a typed client for the routes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "emit/clients/client_api.hpp"
#include "emit/clients/client_language.hpp"
#include "files/whole_file.hpp"
#include "project/document_options.hpp"
#include "project/project.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

struct ClientOptions {
  std::string language;
  project::ProjectOptions project;
  fs::path file;
  project::ClientNameOption client_name;
  project::DocumentOptions document;
  ReportOptions report;
};

std::vector<std::string_view> language_names() {
  std::vector<std::string_view> names;
  for (const auto& language : emit::client_languages()) names.push_back(language.name);
  return names;
}

const emit::ClientLanguage& find_language(const std::string& name) {
  const auto languages = emit::client_languages();
  const auto found = std::ranges::find(languages, name, &emit::ClientLanguage::name);
  if (found != languages.end()) return *found;
  throw command::UsageError(name.empty()
                                ? fmt::format("LANGUAGE is required: write 'fairway client {}'",
                                              fmt::join(language_names(), "' or 'fairway client "))
                                : fmt::format("LANGUAGE must be {}, not '{}'",
                                              command::alternatives(language_names()), name));
}

int run(ClientOptions& options) {
  const emit::ClientLanguage& language = find_language(options.language);
  (void)options.document.resolved();  // reports errors of the options before errors of the project
  const project::ProjectReader reader(options.project);
  const project::AddAppArguments& add_app = reader.add_app_arguments();
  options.document.complete(add_app.document);
  if (options.client_name.name.empty()) options.client_name = add_app.client_name;
  model::OpenApiOptions document = options.document.resolved();
  project::set_default_title(document, reader.application_name());
  const std::string name = options.client_name.resolved(document.title);
  project::Project project = reader.read();
  project::require_handlers(project, options.project.source_dir);
  if (!project.report.ok()) return report_findings(project.report, options.report, std::cerr);
  const std::string client = language.emit(emit::client_api(project.application, document), name);
  if (options.file.empty()) {
    std::cout << client;
    if (!language.support_file.empty()) {
      std::cerr << fmt::format(
          "fairway: note: the client includes '{}', which -o FILE writes to the same directory\n",
          language.support_file);
    }
    return command::kClean;
  }
  files::replace_file(options.file, client);
  if (!language.support_file.empty()) {
    files::replace_file(options.file.parent_path() / language.support_file,
                        language.emit_support());
  }
  return command::kClean;
}

}  // namespace

void declare_client(command::Command& command) {
  const auto options = std::make_shared<ClientOptions>();
  command.operand("LANGUAGE", options->language, language_names());
  command.synopsis = "LANGUAGE [options] [-- FLAGS]";
  command.description =
      "Writes a typed client for the routes. In the build directory, CMake stores the options "
      "that fairway_add_app passes to 'fairway build'. This command also uses its document "
      "options, --client-name and --middleware, but the options given here take precedence.";
  command.notes = "Languages:\n";
  for (const auto& language : emit::client_languages()) {
    command.notes += fmt::format("  {:<4} {}\n", language.name, language.title);
  }
  command.examples = {{"fairway client ts -p build -o src/orders.ts", "write a TypeScript client"},
                      {"fairway client cpp --client-name orders -o orders_client.hpp",
                       "write a C++ client and its support header"}};
  options->project.declare(command);
  const command::OptionGroup output = command.group("Output");
  output.path(
      "-o", "FILE", options->file,
      "write to FILE instead of standard output, and the support header of a C++ client to the "
      "same directory");
  options->client_name.declare(output);
  options->document.declare_for_client(command);
  options->report.declare(command, options->project);
  options->report.declare_old_spelling(command);
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
