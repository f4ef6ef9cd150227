// fairway build: resolves an application and writes the generated files of one target.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "emit/application_outputs.hpp"
#include "files/whole_file.hpp"
#include "project/build_record.hpp"
#include "project/document_options.hpp"
#include "project/project.hpp"
#include "project/settings.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

struct BuildOptions {
  project::ProjectOptions project;
  fs::path out_dir;
  fs::path openapi_file;
  project::ClientNameOption client_name;
  fs::path client_cpp;
  fs::path client_ts;
  fs::path depfile;
  fs::path errors;
  project::DocumentOptions document;
  bool docs_viewer = false;
  ReportOptions report;

  /// The copies of the document and of the clients that exist, as the command line names them.
  std::vector<std::string> existing_copies() const {
    std::vector<std::string> existing;
    for (const fs::path* copy : {&openapi_file, &client_cpp, &client_ts}) {
      if (!copy->empty() && fs::exists(*copy)) existing.push_back(copy->string());
    }
    return existing;
  }

  emit::OutputOptions outputs(const model::OpenApiOptions& document_options) const {
    return {.directory = out_dir,
            .document = document_options,
            .client_name = client_name.resolved(document_options.title),
            .openapi_file = openapi_file,
            .client_files = {{"cpp", client_cpp}, {"ts", client_ts}},
            .has_docs_viewer = docs_viewer,
            .in_parallel = project.job_count() != 1};
  }
};

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

/// Outputs for the build system, which may delete the first file.
void write_build_outputs(const BuildOptions& options, const std::set<std::string>& dependencies,
                         const std::string& errors) {
  if (!options.depfile.empty()) {
    const fs::path target =
        options.errors.empty() ? options.out_dir / "app_table.cpp" : options.errors;
    files::replace_file(options.depfile, render_depfile(target.string(), dependencies));
  }
  if (!options.errors.empty()) files::replace_file(options.errors, errors);
}

/// Warns about handlers that do not compile, because the compiler of the program may accept them,
/// and says which copies are kept because of them.
void add_undocumented(const model::Diagnostics& undocumented,
                      const std::vector<std::string>& copies, project::Project& project) {
  for (model::Diagnostic found : undocumented) {
    if (!copies.empty()) {
      found.help = fmt::format(
          "until it compiles, '{}' {} not written; move code that only GCC compiles to a function "
          "of another file, or accept what they lack with NOLINT(handler-does-not-compile) or in "
          ".fairway.json",
          fmt::join(copies, "' and '"), copies.size() == 1 ? "is" : "are");
    }
    project.report.diagnostics.push_back(std::move(found));
  }
}

/// Errors are stored in a file, so that the build system can print them after its own output.
int report_errors(const project::Project& project, const BuildOptions& options) {
  const bool is_stored = !options.errors.empty();
  if (!is_stored || options.report.format != DiagnosticsFormat::text) {
    const int status = report_findings(project.report, options.report, std::cerr);
    if (!is_stored) return status;
  }
  write_build_outputs(options, project.dependencies, findings_text(project.report, options.report));
  return command::kClean;
}

int run(BuildOptions& options, std::span<const std::string> words) {
  if (!options.project.name.empty()) command::require_identifier("--name", options.project.name);
  if (options.project.cache_dir.empty()) options.project.cache_dir = options.out_dir / "cache";
  std::vector<fs::path> config_files;
  model::OpenApiOptions document_options = options.document.resolved(&config_files);
  const fs::path settings = project::LintOptions().file(options.project.source_dir);
  if (!settings.empty()) config_files.push_back(settings);
  const std::vector<fs::path> layers =
      project::config_layers(options.document.app_config, options.project.source_dir);
  options.docs_viewer = options.docs_viewer || project::enable_openapi(layers);
  // --name is the name of the table here, and need not be in the compilation database.
  const project::ProjectReader reader(options.project, project::ProjectReader::Flags::first);
  project::set_default_title(document_options, reader.application_name());
  // The configuration is part of the key, like the command line.
  std::vector<std::string> command_line(words.begin(), words.end());
  for (const fs::path& file : config_files) {
    command_line.push_back(files::read_file(file).value_or(""));
  }
  command_line.push_back(document_options.title);
  command_line.emplace_back(options.docs_viewer ? "viewer" : "");
  const auto record = [&] {
    return project::BuildRecord(reader.cache_directory(), options.out_dir, command_line,
                                reader.digest());
  };
  if (const auto dependencies = record().load()) {
    write_build_outputs(options, *dependencies, "");
    return command::kClean;
  }
  emit::make_header_folders(options.out_dir, reader.files());
  project::Project project = reader.read();
  config_files.insert(config_files.end(), layers.begin(), layers.end());
  for (const fs::path& file : config_files) {
    project.dependencies.insert(fs::absolute(file).lexically_normal().string());
  }
  if (!project.report.ok()) return report_errors(project, options);
  const auto undocumented = project::undocumented_handlers(project, {}, options.project.source_dir);
  add_undocumented(undocumented, options.existing_copies(), project);
  report_findings(project.report, options.report, std::cerr);
  const project::BuildRecord last = record();
  emit::OutputOptions output_options = options.outputs(document_options);
  output_options.keeps_copies = !undocumented.empty();
  const auto outputs = emit::write_outputs(project.application, output_options, last.outputs());
  // A build with warnings is not recorded, so that the next one reports them again.
  if (project.report.diagnostics.empty()) {
    last.store(outputs, project.dependencies);
  } else {
    last.store_outputs(outputs);
  }
  write_build_outputs(options, project.dependencies, "");
  return command::kClean;
}

}  // namespace

void declare_build(command::Command& command) {
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
  const command::OptionGroup output = command.group("Output");
  output.path("--out-dir", "DIR", options->out_dir, "directory for the generated files; required");
  output.require("--out-dir");
  output.path("--openapi-file", "FILE", options->openapi_file,
              "also write the OpenAPI document to FILE; as YAML if FILE ends in .yaml or .yml");
  options->client_name.declare(output);
  output.path("--client-cpp", "FILE", options->client_cpp,
              "also write the C++ client to FILE, and its support header to the same directory");
  output.path("--client-ts", "FILE", options->client_ts,
              "also write the TypeScript client to FILE");
  output.flag("--docs-viewer", options->docs_viewer,
              "let the program contain the page that shows the document, although no file in "
              "config/ has openapi.enabled");
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
