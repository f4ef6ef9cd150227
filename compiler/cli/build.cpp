// fairway build: resolves an application and writes the generated files of one target.
#include <fmt/format.h>

#include <filesystem>
#include <future>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/build_record.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/document_options.hpp"
#include "cli/project.hpp"
#include "cli/report_findings.hpp"
#include "emit/application_files.hpp"
#include "emit/client/client_language.hpp"
#include "emit/openapi.hpp"
#include "emit/output_files.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

struct BuildOptions {
  ProjectOptions project;
  fs::path out_dir;
  fs::path openapi_file;
  ClientNameOption client_name;
  fs::path client_cpp;
  fs::path client_ts;
  fs::path depfile;
  fs::path errors;
  DocumentOptions document;
  ReportOptions report;

  /// The additional file for the client of a language; empty if there is none.
  const fs::path& client_copy(std::string_view language) const {
    return language == "cpp" ? client_cpp : client_ts;
  }
};

/// The embedded document always has envelopes; the runtime removes them if its configuration says
/// so.
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

/// Runs `make` on another thread, unless --jobs is 1.
template <class Make>
auto begin(const BuildOptions& options, Make make) {
  const bool is_alone = options.project.job_count() == 1;
  return std::async(is_alone ? std::launch::deferred : std::launch::async, std::move(make));
}

/// In the same order as `client_languages`.
std::vector<std::string> emit_clients(const emit::ClientApi& api, const std::string& name) {
  std::vector<std::string> clients;
  for (const auto& language : emit::client_languages()) clients.push_back(language.emit(api, name));
  return clients;
}

/// Returns the contents of the files. Removes files of `earlier`, the outputs of the last build,
/// that were not written again.
BuildRecord::Outputs write_outputs(const model::Application& application,
                                   const emit::OpenApiOptions& document_options,
                                   const BuildOptions& options,
                                   const std::vector<fs::path>& earlier) {
  auto manifest = begin(options, [&] { return emit::emit_manifest(application); });
  const model::Json document = emit::openapi_document(application, document_options);
  const std::string name = options.client_name.resolved(document_options.title);
  auto clients = begin(options, [&] {
    return emit_clients(client_api(application, document_options, document), name);
  });
  auto table = begin(options, [&] { return emit_table(application, document_options, document); });
  emit::OutputFiles files(options.out_dir);
  fs::path include = "include/fairway";
  for (const model::RouteFile& file : application.files) {
    const emit::RouteTypeFiles types = emit::emit_route_types(application, file);
    files.write(fs::path("include") / emit::routes_header_path(file), types.header);
    files.write(emit::routes_source_path(file), types.source);
  }
  const fs::path header = application.name.empty() ? include / "app_table.hpp"
                                                   : include / application.name / "app_table.hpp";
  files.write(header, emit::emit_app_table_header(application));
  files.write("app_table.cpp", table.get());
  files.write("openapi.json", emit::openapi_text(document));
  if (!options.openapi_file.empty()) {
    const fs::path file = fs::absolute(options.openapi_file);
    files.write(file, document_text(document, format_of(file)));
  }
  const std::vector<std::string> client_texts = clients.get();
  auto client = client_texts.begin();
  for (const emit::ClientLanguage& language : emit::client_languages()) {
    files.write("client/" + name + std::string(language.ending), *client);
    const fs::path& copy = options.client_copy(language.name);
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
  files.remove_stale("routes", ".routes.cpp");
  files.remove_stale(earlier);
  return files.contents();
}

/// Escapes spaces, number signs and dollar signs for a Makefile.
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

/// Outputs for the build system. The build system may delete the first file.
void write_signals(const BuildOptions& options, const std::set<std::string>& dependencies,
                   const std::string& errors) {
  if (!options.depfile.empty()) {
    const fs::path target =
        options.errors.empty() ? options.out_dir / "app_table.cpp" : options.errors;
    files::replace_file(options.depfile, render_depfile(target.string(), dependencies));
  }
  if (!options.errors.empty()) files::replace_file(options.errors, errors);
}

/// Errors are stored in a file, so that the build system can print them after its own output.
int report_errors(const Project& project, const BuildOptions& options) {
  const bool is_stored = !options.errors.empty();
  if (!is_stored || options.report.format != DiagnosticsFormat::text) {
    const int status = report_findings(project.report, options.report, std::cerr);
    if (!is_stored) return status;
  }
  write_signals(options, project.dependencies, findings_text(project.report, options.report));
  return kClean;
}

int run(BuildOptions& options, std::span<const std::string> words) {
  if (!options.project.name.empty()) require_identifier("--name", options.project.name);
  if (options.project.cache_dir.empty()) options.project.cache_dir = options.out_dir / "cache";
  emit::OpenApiOptions document_options = options.document.resolved();
  // --name is the name of the table here, and need not be in the compilation database.
  const ProjectReader reader(options.project, ProjectReader::Flags::first);
  set_default_title(document_options, reader.application_name());
  // The application configuration is part of the key, like the command line.
  std::vector<std::string> command_line(words.begin(), words.end());
  const fs::path& app_config = options.document.app_config;
  if (!app_config.empty()) {
    command_line.push_back(files::read_file(app_config).value_or(""));
  }
  command_line.push_back(document_options.title);
  const auto record = [&] {
    return BuildRecord(reader.cache_directory(), options.out_dir, command_line, reader.digest());
  };
  if (const auto dependencies = record().load()) {
    write_signals(options, *dependencies, "");
    return kClean;
  }
  Project project = reader.read();
  if (!app_config.empty()) project.dependencies.insert(fs::absolute(app_config).string());
  if (!project.report.ok()) return report_errors(project, options);
  report_findings(project.report, options.report, std::cerr);
  const BuildRecord last = record();
  const auto outputs =
      write_outputs(project.application, document_options, options, last.outputs());
  // A build with warnings is not recorded, so that the next one reports them again.
  if (project.report.diagnostics.empty()) {
    last.store(outputs, project.dependencies);
  } else {
    last.store_outputs(outputs);
  }
  write_signals(options, project.dependencies, "");
  return kClean;
}

}  // namespace

void declare_build(Command& command) {
  const auto options = std::make_shared<BuildOptions>();
  command.synopsis = "--out-dir DIR [options] [-- FLAGS]";
  command.description =
      "Checks all route files and writes the route table, the request types, the OpenAPI "
      "document, the manifest, and the C++ and TypeScript clients. Writes none of "
      "them if there is an error.";
  command.examples = {
      {"fairway build --out-dir build/generated -p build",
       "write the generated files, with the flags of build/compile_commands.json"},
      {"fairway build --out-dir generated --openapi-file openapi.yaml",
       "also write the OpenAPI document to another file, as YAML"},
      {"fairway build --out-dir generated -- -std=c++20 -Iinclude", "use other compiler flags"}};
  options->project.declare(command, "name of the application, if the program has several",
                           "cache/ in the output directory");
  const OptionGroup output = command.group("Output");
  output.path("--out-dir", "DIR", options->out_dir, "directory for the generated files; required");
  output.require("--out-dir");
  output.path("--openapi-file", "FILE", options->openapi_file,
              "also write the OpenAPI document to FILE; as YAML if FILE ends in .yaml or .yml");
  options->client_name.declare(output);
  output.path("--client-cpp", "FILE", options->client_cpp,
              "also write the C++ client to FILE, and its support header to the same directory");
  output.path("--client-ts", "FILE", options->client_ts,
              "also write the TypeScript client to FILE");
  output.path("--depfile", "FILE", options->depfile,
              "write the dependencies of the output to FILE in Makefile format");
  output.path("--errors", "FILE", options->errors,
              "write errors to FILE, which is empty if there are none; exit with status 0 even if "
              "there are errors");
  options->document.declare(command);
  options->report.declare(command, options->project);
  options->report.declare_old_spelling(command);
  command.run = [options](std::span<const std::string> words) { return run(*options, words); };
}

}  // namespace fairway::cli
