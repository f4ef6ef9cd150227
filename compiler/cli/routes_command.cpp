// fairway routes: prints the route table, as text or as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <unistd.h>

#include "base/counted.hpp"
#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "cli/route_table.hpp"
#include "diagnostics/display_line.hpp"
#include "project/project.hpp"

namespace fairway::cli {
namespace {

enum class TableFormat { table, json };

constexpr std::array<command::Choice<TableFormat>, 3> kTableFormats = {
    {{"table", TableFormat::table},
     {"json", TableFormat::json},
     {"text", TableFormat::table, true}}};

struct RoutesOptions {
  project::ProjectOptions project;
  TableFormat format = TableFormat::table;
  ReportOptions report;
};

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
  const project::Project project = project::read_project(options.project);
  if (!project.report.ok()) return report_findings(project.report, options.report, std::cerr);
  if (options.format == TableFormat::json) {
    std::cout << route_table_json(project.application).dump(2) << '\n';
  } else {
    print_table(project.application, use_color(options.report.color, STDOUT_FILENO));
  }
  return command::kClean;
}

}  // namespace

void declare_routes(command::Command& command) {
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
