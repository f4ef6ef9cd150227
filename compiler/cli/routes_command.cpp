// fairway routes: prints the route table, as text or as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <unistd.h>

#include "base/strings.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/project.hpp"
#include "cli/report_findings.hpp"
#include "diagnostics/display_line.hpp"

namespace fairway::cli {
namespace {

enum class TableFormat { table, json };

constexpr std::array<Choice<TableFormat>, 3> kTableFormats = {{{"table", TableFormat::table},
                                                               {"json", TableFormat::json},
                                                               {"text", TableFormat::table, true}}};

struct RoutesOptions {
  ProjectOptions project;
  TableFormat format = TableFormat::table;
  ReportOptions report;
};

model::Json auth_of(const model::Auth& auth) {
  switch (auth.kind) {
    case model::AuthKind::unset:
      return nullptr;
    case model::AuthKind::disabled:
      return false;
    case model::AuthKind::required:
      return true;
    case model::AuthKind::requirement:
      return {{"required", auth.guards()}};
  }
  return nullptr;
}

/// The names of the events, `true` for lines, or null for a route without a stream.
model::Json stream_of(const model::Route& route) {
  const model::ResponseSchema* response = route.streamed();
  if (!response) return nullptr;
  if (response->stream->format == model::Stream::Format::lines) return true;
  model::Json names = model::Json::array();
  for (const model::StreamItem& event : response->stream->items) names.push_back(event.name);
  return names;
}

/// The names of the messages of a direction; "raw" for `fw::raw`.
model::Json messages_of(const std::vector<model::StreamItem>& messages, bool is_raw) {
  if (is_raw) return "raw";
  model::Json names = model::Json::array();
  for (const model::StreamItem& message : messages) names.push_back(message.name);
  return names;
}

model::Json socket_of(const model::Route& route) {
  if (!route.socket) return nullptr;
  const model::Socket& socket = *route.socket;
  return {{"receive", messages_of(socket.receive, socket.receives_raw)},
          {"send", messages_of(socket.send, socket.sends_raw)},
          {"protocols", socket.protocols}};
}

model::Json row_of(const model::RouteFile& file, const model::Route& route) {
  model::Json middlewares = model::Json::array();
  for (const auto& middleware : route.middlewares) middlewares.push_back(middleware.name);
  model::Json validate = model::Json::array();
  for (const auto& location : route.validate) validate.push_back(location.location);
  model::Json responses = model::Json::array();
  for (const auto& response : route.responses) responses.push_back(response.selector);
  return {{"method", route.method},
          {"path", route.path},
          {"prefix", file.prefix},
          {"subpath", route.subpath},
          {"file", file.display_path},
          {"line", route.range.line},
          {"operation_id", route.operation_id},
          {"operation_id_source", route.operation_id_inferred ? "inferred" : "explicit"},
          {"tags", route.docs.tags},
          {"summary", route.docs.summary},
          {"hidden", route.docs.hidden},
          {"deprecated", route.docs.deprecated},
          {"middlewares", middlewares},
          {"auth", auth_of(route.auth)},
          {"validate", validate},
          {"responses", responses},
          {"stream", stream_of(route)},
          {"socket", socket_of(route)}};
}

void print_json(const model::Application& application) {
  model::Json rows = model::Json::array();
  for (const auto& file : application.files) {
    for (const auto& route : file.routes) rows.push_back(row_of(file, route));
  }
  std::cout << model::Json{{"version", 1}, {"routes", rows}}.dump(2) << '\n';
}

/// The last column of a route: its guards and its flags.
std::string marks_of(const model::Route& route) {
  std::vector<std::string> marks;
  if (route.auth.guards()) marks.emplace_back("auth");
  for (const auto& middleware : route.middlewares) {
    marks.push_back(diagnostics::display_text(middleware.name));
  }
  if (const model::ResponseSchema* response = route.streamed()) {
    const bool is_events = response->stream->format == model::Stream::Format::events;
    marks.emplace_back(is_events ? "events" : "lines");
  }
  if (route.docs.deprecated) marks.emplace_back("deprecated");
  if (route.docs.hidden) marks.emplace_back("hidden");
  return fmt::format("{}", fmt::join(marks, ", "));
}

std::string_view method_color(std::string_view method) {
  if (method == "GET") return "\033[32m";
  if (method == "POST") return "\033[33m";
  if (method == "PUT") return "\033[34m";
  if (method == "PATCH") return "\033[35m";
  if (method == "DELETE") return "\033[31m";
  return "\033[36m";
}

/// Appends spaces up to a width in terminal columns.
std::string padded(std::string text, std::size_t width) {
  text = diagnostics::display_text(text);
  text.append(width - std::min(width, diagnostics::display_width(text)), ' ');
  return text;
}

void print_table(const model::Application& application, bool color) {
  std::size_t path_width = 0;
  std::size_t id_width = 0;
  std::size_t count = 0;
  for (const auto& file : application.files) {
    for (const auto& route : file.routes) {
      path_width = std::max(path_width, diagnostics::display_width(route.path));
      id_width = std::max(id_width, diagnostics::display_width(route.operation_id));
      ++count;
    }
  }
  const auto paint = [&](std::string_view code) { return color ? code : std::string_view(); };
  for (const auto& file : application.files) {
    std::cout << fmt::format("{}{}{}\n", paint("\033[1m"),
                             diagnostics::display_text(file.display_path), paint("\033[0m"));
    for (const auto& route : file.routes) {
      std::string line = fmt::format("  {}{:<8}{}{}  {}  {}", paint(method_color(route.method)),
                                     route.method, paint("\033[0m"), padded(route.path, path_width),
                                     padded(route.operation_id, id_width), marks_of(route));
      line.erase(line.find_last_not_of(' ') + 1);
      std::cout << line << '\n';
    }
  }
  std::cout << fmt::format("{} in {}\n", fw::base::counted(count, "route"),
                           fw::base::counted(application.files.size(), "file"));
}

int run(const RoutesOptions& options) {
  const Project project = read_project(options.project);
  if (!project.report.ok()) return report_findings(project.report, options.report, std::cerr);
  if (options.format == TableFormat::json) {
    print_json(project.application);
  } else {
    print_table(project.application, use_color(options.report.color, STDOUT_FILENO));
  }
  return kClean;
}

}  // namespace

void declare_routes(Command& command) {
  const auto options = std::make_shared<RoutesOptions>();
  command.synopsis = "[options] [-- FLAGS]";
  command.description =
      "Prints the method, path and operation id of every route, and the middlewares and "
      "authentication that guard it.";
  command.examples = {{"fairway routes -p build", "print the table"},
                      {"fairway routes --format json | jq -r '.routes[].path'", "print the paths"}};
  options->project.declare(command);
  command.group("Output").choice("--format", "FORMAT", options->format, kTableFormats,
                                 "table (default) or json");
  options->report.declare(command, options->project);
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
