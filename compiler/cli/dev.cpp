// fairway dev: serves a project, and rebuilds it after each change.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/installation.hpp"
#include "dev/cmake_project.hpp"
#include "dev/session.hpp"
#include "files/whole_file.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kDefaultPort = 3000;

struct DevOptions {
  std::string host = "127.0.0.1";
  std::string port;
  fs::path build_dir = dev::kDefaultBuildFolder;
  std::string target;
  unsigned max_wait = 60;
  bool polls = false;
  bool stops_first = false;
  Color color = Color::automatic;
};

std::optional<std::uint16_t> read_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::string environment_value(const char* name, std::string fallback) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::move(fallback) : std::string(value);
}

/// The port that the program itself would listen on; errors in its configuration are the program's
/// to report.
std::uint16_t configured_port(const fs::path& folder) {
  if (const auto port = read_port(environment_value("PORT", ""))) return *port;
  const std::string profile =
      environment_value("FAIRWAY_CONFIG", environment_value("FAIRWAY_ENV", "development"));
  std::uint16_t port = kDefaultPort;
  for (const std::string& layer : {std::string("default"), profile, std::string("local")}) {
    const auto text = files::read_file(folder / "config" / (layer + ".json"));
    const auto values = nlohmann::json::parse(text.value_or("{}"), nullptr, false);
    if (!values.is_object() || !values.contains("port")) continue;
    port = read_port(values["port"].dump()).value_or(port);
  }
  return port;
}

int run(const DevOptions& options) {
  const fs::path folder = fs::current_path();
  const auto port = options.port.empty() ? configured_port(folder) : read_port(options.port);
  if (!port) {
    throw UsageError(
        fmt::format("--port must be a number from 0 to 65535, not '{}'", options.port));
  }
  dev::Session session(dev::CmakeProject(folder, options.build_dir, options.target),
                       {.host = options.host,
                        .port = *port,
                        .max_wait = std::chrono::seconds(options.max_wait),
                        .polls = options.polls,
                        .stops_first = options.stops_first,
                        .has_colors = use_color(options.color, STDERR_FILENO),
                        .configure_flags = flags_to_find_fairway()});
  session.run();
  return kClean;
}

}  // namespace

void declare_dev(Command& command) {
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
  const OptionGroup server = command.group("Server");
  server.path("--host", "ADDRESS", options->host, "address to listen on; default: 127.0.0.1");
  server.path("--port", "NUMBER", options->port,
              "port to listen on; 0: any free one; default: $PORT, else the port in config/, else "
              "3000");
  server.count("--max-wait", "SECONDS", options->max_wait,
               "maximum time that a request waits for a build; default: 60");
  server.flag("--stop-first", options->stops_first,
              "stop the old program before the new one starts, for programs that cannot run twice "
              "at the same time");
  const OptionGroup build = command.group("Build");
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
