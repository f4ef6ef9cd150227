// fairway dev: serves a project, and rebuilds it after each change.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/parse_number.hpp"
#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "dev/cmake_project.hpp"
#include "dev/session.hpp"
#include "files/whole_file.hpp"
#include "project/document_options.hpp"
#include "project/installation.hpp"
#include "rules/catalogue.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;
using fw::base::parse_number;

constexpr std::uint16_t kDefaultPort = 3000;
constexpr std::string_view kDefaultDocsPath = "/docs";

struct DevOptions {
  std::string host = "127.0.0.1";
  std::string port;
  fs::path build_dir = dev::kDefaultBuildFolder;
  std::string target;
  std::string editor = "vscode://file{file}:{line}";
  unsigned max_wait = 60;
  bool polls = false;
  bool stops_first = false;
  bool is_https = false;
  Color color = Color::automatic;
};

std::string environment_value(const char* name, std::string fallback) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::move(fallback) : std::string(value);
}

/// The configuration of the program, by its files; errors are the program's to report.
nlohmann::json configuration(const fs::path& folder) {
  const std::string profile =
      environment_value("FAIRWAY_CONFIG", environment_value("FAIRWAY_ENV", "development"));
  nlohmann::json values = nlohmann::json::object();
  for (const std::string& layer : {std::string("default"), profile, std::string("local")}) {
    const auto text = files::read_file(folder / "config" / (layer + ".json"));
    const auto read = nlohmann::json::parse(text.value_or("{}"), nullptr, false);
    if (read.is_object()) values.merge_patch(read);
  }
  return values;
}

/// The port that the program itself would listen on.
std::uint16_t configured_port(const fs::path& folder) {
  if (const auto port = parse_number<std::uint16_t>(environment_value("PORT", ""))) return *port;
  const nlohmann::json values = configuration(folder);
  return parse_number<std::uint16_t>(values.value("port", nlohmann::json()).dump())
      .value_or(kDefaultPort);
}

/// The path of the documentation viewer; empty if there is none.
std::string docs_path(const fs::path& folder) {
  const nlohmann::json values = configuration(folder);
  const nlohmann::json openapi = values.value("openapi", nlohmann::json());
  if (!openapi.is_object()) return std::string(kDefaultDocsPath);
  const bool is_off = openapi.value("enabled", nlohmann::json()) == false;
  const nlohmann::json path = openapi.value("docsPath", nlohmann::json(kDefaultDocsPath));
  return is_off || !path.is_string() ? "" : path.get<std::string>();
}

/// The folders in which fairway_add_app writes its files: fairway/TARGET, or fairway/TARGET/NAME.
std::vector<fs::path> output_folders(const dev::CmakeProject& project) {
  std::vector<fs::path> folders;
  for (const fs::path& folder : project.target_folders()) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder / "fairway", error);
    for (const fs::recursive_directory_iterator end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().filename() == "add_app.json")
        folders.push_back(entry->path().parent_path());
      if (entry.depth() == 2) entry.disable_recursion_pending();
    }
  }
  return folders;
}

/// `fairway doctor` for each application, with the parsed files of the build.
std::vector<std::vector<std::string>> doctor_commands(const DevOptions& options) {
  const dev::CmakeProject project(fs::current_path(), options.build_dir, options.target);
  const fs::path build_folder = project.build_folder();
  std::vector<std::vector<std::string>> commands;
  for (const fs::path& output : output_folders(project)) {
    const project::AddAppArguments arguments = project::read_add_app_arguments(output);
    if (arguments.source_dir.empty()) continue;
    std::vector<std::string> command = {
        project::own_path().string(),
        "doctor",
        "-p",
        build_folder.string(),
        "--source-dir",
        arguments.source_dir.string(),
        "--name",
        output.filename().string(),
        "--cache-dir",
        (build_folder / "fairway-cache").string(),
        "--color",
        use_color(options.color, STDERR_FILENO) ? "always" : "never"};
    const fs::path& config = arguments.document.app_config;
    if (!config.empty()) command.insert(command.end(), {"--app-config", config.string()});
    commands.push_back(std::move(command));
  }
  return commands;
}

/// The folders of the route files of a project.
std::vector<fs::path> source_dirs(const DevOptions& options) {
  const dev::CmakeProject project(fs::current_path(), options.build_dir, options.target);
  std::vector<fs::path> folders;
  for (const fs::path& output : output_folders(project)) {
    fs::path folder = project::read_add_app_arguments(output).source_dir;
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
  return folders;
}

/// The text of the page of a rule.
std::optional<std::string> explanation(const std::string& id) {
  const model::Rule* const rule = rules::find_rule(id);
  if (rule == nullptr) return std::nullopt;
  return rules::explanation_of(*rule);
}

/// Throws UsageError for a pattern that does not lead to a line of a file.
void check_editor(const std::string& pattern) {
  bool is_valid = pattern.find("{file}") != std::string::npos;
  try {
    (void)dev::editor_url(pattern, "/a.cpp", 1);
  } catch (const fmt::format_error&) {
    is_valid = false;
  }
  if (is_valid) return;
  throw command::UsageError(fmt::format(
      "--editor must be a URL with {{file}}, and optionally {{line}}, not '{}'", pattern));
}

int run(const DevOptions& options) {
  check_editor(options.editor);
  const fs::path folder = fs::current_path();
  const auto port =
      options.port.empty() ? configured_port(folder) : parse_number<std::uint16_t>(options.port);
  if (!port) {
    throw command::UsageError(
        fmt::format("--port must be a number from 0 to 65535, not '{}'", options.port));
  }
  dev::Session session(dev::CmakeProject(folder, options.build_dir, options.target),
                       {.host = options.host,
                        .port = *port,
                        .max_wait = std::chrono::seconds(options.max_wait),
                        .polls = options.polls,
                        .stops_first = options.stops_first,
                        .is_https = options.is_https,
                        .has_colors = use_color(options.color, STDERR_FILENO),
                        .configure_flags = project::flags_to_find_fairway(),
                        .lint_commands = [&options] { return doctor_commands(options); },
                        .editor = options.editor,
                        .docs_path = [&folder] { return docs_path(folder); },
                        .source_dirs = [&options] { return source_dirs(options); },
                        .explain = explanation});
  session.run();
  return command::kClean;
}

}  // namespace

void declare_dev(command::Command& command) {
  const auto options = std::make_shared<DevOptions>();
  command.synopsis = "[options]";
  command.description =
      "Configures, builds and starts the CMake project in the working directory, and repeats this "
      "after each change. Requests wait until the new program is ready. If there is an error, the "
      "last good program keeps running, and the browser shows the error. A new build directory is "
      "compiled with the newest installed Clang, because its builds are the fastest, unless the "
      "environment or the preset 'dev' names a compiler.";
  command.examples = {
      {"fairway dev", "serve the project on the port in config/, or on port 3000"},
      {"fairway dev --port 8080 --target shop", "serve the program 'shop' on another port"}};
  const command::OptionGroup server = command.group("Server");
  server.path("--host", "ADDRESS", options->host, "address to listen on; default: 127.0.0.1");
  server.path("--port", "NUMBER", options->port,
              "port to listen on; 0: any free one; default: $PORT, else the port in config/, else "
              "3000");
  server.flag("--https", options->is_https,
              "serve HTTPS with a certificate for localhost, which is made in the build directory");
  server.count("--max-wait", "SECONDS", options->max_wait,
               "maximum time that a request waits for a build; default: 60");
  server.flag("--stop-first", options->stops_first,
              "stop the old program before the new one starts, for programs that cannot run twice "
              "at the same time");
  server.path("--editor", "URL", options->editor,
              "how the page of requests opens a route file; default: vscode://file{file}:{line}");
  const command::OptionGroup build = command.group("Build");
  build.path("-p", "DIR", options->build_dir, "build directory; default: build/dev");
  build.path("--target", "NAME", options->target,
             "program to run; default: the one with the name of the project, or the only one");
  build.flag("--poll", options->polls,
             "check for changes twice a second, for file systems without notifications");
  declare_color(build, options->color);
  command.clean = "stopped by Ctrl-C or SIGTERM";
  command.findings = "";
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
