// fairway build: resolve everything, write the generated files of one target.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <future>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/build_record.hpp"
#include "cli/client_name.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/document_options.hpp"
#include "cli/project.hpp"
#include "cli/report_findings.hpp"
#include "emit/app_table.hpp"
#include "emit/client/client_language.hpp"
#include "emit/manifest.hpp"
#include "emit/openapi.hpp"
#include "emit/output_files.hpp"
#include "emit/routes_header.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<Option, 7> kOutputOptions = {{
    {"--out-dir", "DIR", "where the generated files go; required"},
    {"--openapi-file", "FILE", "write the OpenAPI document there too: YAML for .yaml and .yml"},
    {"--client-name", "NAME", "name of the typed clients; default: from the title"},
    {"--client-cpp", "FILE",
     "write the C++ client to this file too, and its support header beside it"},
    {"--client-ts", "FILE", "write the TypeScript client to this file too"},
    {"--depfile", "FILE", "write what the output depends on, in Makefile syntax"},
    {"--errors", "FILE",
     "write errors to this file and end with status 0; it is empty when everything is up to date"},
}};
constexpr std::array<OptionGroup, 5> kGroups = {{{"Sources", kSourceOptions},
                                                 {"Compiler flags", kFlagOptions},
                                                 {"Output", kOutputOptions},
                                                 {"Document", kDocumentOptions},
                                                 {"Report", kReportOptions}}};

/// The runtime takes the envelopes away when its configuration says so: its document has them
/// always.
std::string emit_table(const model::Application& application, emit::OpenApiOptions options,
                       const model::Json& document) {
  if (options.envelope) return emit::emit_app_table(application, document);
  options.envelope = true;
  return emit::emit_app_table(application, emit::openapi_document(application, options));
}

emit::ClientApi client_api(const model::Application& application,
                           const emit::OpenApiOptions& options, const model::Json& document) {
  return options.openapi == emit::OpenApiVersion::v3_1 ? emit::read_client_api(document)
                                                       : emit::client_api(application, options);
}

/// Runs `make` beside this thread, unless one job at a time is asked for.
template <class Make>
auto begin(const Arguments& arguments, Make make) {
  const bool is_alone = arguments.number("--jobs", std::thread::hardware_concurrency()) == 1;
  return std::async(is_alone ? std::launch::deferred : std::launch::async, std::move(make));
}

/// In the order of `client_languages`.
std::vector<std::string> emit_clients(const emit::ClientApi& api, const std::string& name) {
  std::vector<std::string> clients;
  for (const auto& language : emit::client_languages()) clients.push_back(language.emit(api, name));
  return clients;
}

/// Returns the files' paths. Files among `earlier`, the outputs of the last build, that are no
/// longer written are removed.
std::vector<fs::path> write_outputs(const model::Application& application,
                                    const emit::OpenApiOptions& document_options,
                                    const Arguments& arguments,
                                    const std::vector<fs::path>& earlier) {
  auto manifest = begin(arguments, [&] { return emit::emit_manifest(application); });
  const model::Json document = emit::openapi_document(application, document_options);
  const std::string name = client_name(arguments, document_options.title);
  auto clients = begin(arguments, [&] {
    return emit_clients(client_api(application, document_options, document), name);
  });
  auto table =
      begin(arguments, [&] { return emit_table(application, document_options, document); });
  emit::OutputFiles files(fs::path(arguments.get("--out-dir")));
  fs::path include = "include/fairway";
  for (const model::RouteFile& file : application.files) {
    files.write(fs::path("include") / emit::routes_header_path(file),
                emit::emit_routes_header(application, file));
  }
  const fs::path header = application.name.empty() ? include / "app_table.hpp"
                                                   : include / application.name / "app_table.hpp";
  files.write(header, emit::emit_app_table_header(application));
  files.write("app_table.cpp", table.get());
  files.write("openapi.json", emit::openapi_text(document));
  if (arguments.has("--openapi-file")) {
    const fs::path file = fs::absolute(arguments.get("--openapi-file"));
    files.write(file, document_text(document, file));
  }
  const std::vector<std::string> client_texts = clients.get();
  auto client = client_texts.begin();
  for (const emit::ClientLanguage& language : emit::client_languages()) {
    files.write("client/" + name + std::string(language.ending), *client);
    const std::string copy = arguments.get("--client-" + std::string(language.name));
    if (!copy.empty()) files.write(fs::absolute(copy), *client);
    if (!language.support_file.empty()) {
      const std::string support = language.emit_support();
      files.write(fs::path("client") / language.support_file, support);
      if (!copy.empty()) {
        files.write(fs::absolute(copy).parent_path() / language.support_file, support);
      }
    }
    ++client;
  }
  files.write("routes.manifest.json", manifest.get());
  files.remove_stale(include / "routes", ".routes.hpp");
  files.remove_stale(earlier);
  return files.paths();
}

/// Makefile syntax: blanks, number signs and dollar signs are escaped.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

std::string render_depfile(const std::string& target, const std::set<std::string>& dependencies) {
  std::string text = escaped(target) + ":";
  for (const std::string& dependency : dependencies) {
    text += " \\\n  " + escaped(dependency);
  }
  return text + "\n";
}

/// What a build system reads when this has ended. It may take the first file away.
void write_signals(const Arguments& arguments, const std::set<std::string>& dependencies,
                   const std::string& errors) {
  if (arguments.has("--depfile")) {
    const std::string target =
        arguments.get("--errors", arguments.get("--out-dir") + "/app_table.cpp");
    files::replace_file(arguments.get("--depfile"), render_depfile(target, dependencies));
  }
  if (arguments.has("--errors")) files::replace_file(arguments.get("--errors"), errors);
}

/// Errors are stored, for a build system that shows them last, after what it says itself.
int report_errors(const Project& project, const Arguments& arguments) {
  const bool is_stored = arguments.has("--errors");
  if (!is_stored || arguments.get("--format", "text") != "text") {
    const int status = report_findings(project.report, arguments, std::cout);
    if (!is_stored) return status;
  }
  write_signals(arguments, project.dependencies, findings_text(project.report, arguments));
  return kClean;
}

}  // namespace

std::string build_help() {
  return "Usage: fairway build --out-dir DIR [options] [-- flags]\n\n"
         "Resolves every route below the source directory and writes the route table, the request\n"
         "types, the OpenAPI document and the manifest. Writes nothing when there is an error.\n" +
         render_options(kGroups);
}

int run_build(std::span<const std::string> words) {
  const Arguments arguments(words, kGroups);
  if (!arguments.has("--out-dir")) throw UsageError("--out-dir is required");
  const emit::OpenApiOptions options = document_options(arguments);
  const ProjectReader reader(arguments);
  // The configuration that the document is made of counts as part of the command line.
  std::vector<std::string> command_line(words.begin(), words.end());
  if (arguments.has("--app-config")) {
    command_line.push_back(files::read_file(arguments.get("--app-config")).value_or(""));
  }
  const auto record = [&] {
    return BuildRecord(reader.cache_directory(), arguments.get("--out-dir"), command_line,
                       reader.digest());
  };
  if (const auto dependencies = record().load()) {
    write_signals(arguments, *dependencies, "");
    return kClean;
  }
  Project project = reader.read();
  if (arguments.has("--app-config")) {
    project.dependencies.insert(fs::absolute(arguments.get("--app-config")).string());
  }
  if (!project.report.ok()) return report_errors(project, arguments);
  report_findings(project.report, arguments, std::cout);
  const BuildRecord last = record();
  const auto outputs = write_outputs(project.application, options, arguments, last.outputs());
  // Warnings are reported again by the next build.
  if (project.report.diagnostics.empty()) {
    last.store(outputs, project.dependencies);
  } else {
    last.store_outputs(outputs);
  }
  write_signals(arguments, project.dependencies, "");
  return kClean;
}

}  // namespace fairway::cli
