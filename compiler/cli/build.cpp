// fairway build: resolve everything, write the generated files of one target.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>
#include <string>
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

constexpr std::array<Option, 6> kOutputOptions = {{
    {"--out-dir", "DIR", "where the generated files go; required"},
    {"--client-name", "NAME", "name of the typed clients; default: from the title"},
    {"--client-cpp", "FILE", "write the C++ client to this file too"},
    {"--client-ts", "FILE", "write the TypeScript client to this file too"},
    {"--depfile", "FILE", "write what the output depends on, in Makefile syntax"},
    {"--stamp", "FILE", "write this file when everything is up to date"},
}};
constexpr std::array<OptionGroup, 5> kGroups = {{{"Sources", kSourceOptions},
                                                 {"Compiler flags", kFlagOptions},
                                                 {"Output", kOutputOptions},
                                                 {"Document", kDocumentOptions},
                                                 {"Report", kReportOptions}}};

/// Returns the files' paths.
std::vector<fs::path> write_outputs(const model::Application& application,
                                    const Arguments& arguments) {
  const emit::OpenApiOptions options = document_options(arguments);
  const model::Json document = emit::openapi_document(application, options);
  const std::string openapi = emit::render_openapi(document);
  emit::OutputFiles files(fs::path(arguments.get("--out-dir")));
  fs::path include = "include/fairway";
  for (const model::RouteFile& file : application.files) {
    files.write(fs::path("include") / emit::routes_header_path(file),
                emit::emit_routes_header(application, file));
  }
  const fs::path header = application.name.empty() ? include / "app_table.hpp"
                                                   : include / application.name / "app_table.hpp";
  files.write(header, emit::emit_app_table_header(application));
  files.write("app_table.cpp", emit::emit_app_table(application, openapi));
  files.write("openapi.json", openapi);
  const emit::ClientApi api = emit::read_client_api(document);
  const std::string name = client_name(arguments, options.title);
  for (const emit::ClientLanguage& language : emit::client_languages()) {
    const std::string client = language.emit(api, name);
    files.write("client/" + name + std::string(language.ending), client);
    const std::string copy = arguments.get("--client-" + std::string(language.name));
    if (!copy.empty()) files.write(fs::absolute(copy), client);
  }
  files.write("routes.manifest.json", emit::emit_manifest(application));
  files.remove_stale(include / "routes", ".routes.hpp");
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

/// The files that tell a build system that everything is up to date. It may take the first away.
void write_signals(const Arguments& arguments, const std::set<std::string>& dependencies) {
  if (arguments.has("--depfile")) {
    const std::string target =
        arguments.get("--stamp", arguments.get("--out-dir") + "/app_table.cpp");
    files::replace_file(arguments.get("--depfile"), render_depfile(target, dependencies));
  }
  if (arguments.has("--stamp")) files::replace_file(arguments.get("--stamp"), "");
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
  const ProjectReader reader(arguments);
  const auto record = [&] {
    return BuildRecord(reader.cache_directory(), arguments.get("--out-dir"), words,
                       reader.digest());
  };
  if (const auto dependencies = record().load()) {
    write_signals(arguments, *dependencies);
    return kClean;
  }
  const Project project = reader.read();
  const int status = report_findings(project.report, arguments);
  if (status != kClean) return status;
  const auto outputs = write_outputs(project.application, arguments);
  if (project.report.diagnostics.empty()) record().store(outputs, project.dependencies);
  write_signals(arguments, project.dependencies);
  return kClean;
}

}  // namespace fairway::cli
