// fairway observe: writes what those who operate an application need, from its routes.
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "emit/observability.hpp"
#include "emit/openapi.hpp"
#include "files/whole_file.hpp"
#include "project/project.hpp"

namespace fairway::cli {
namespace {

enum class Product { metrics, alerts, dashboard };

constexpr std::array<command::Choice<Product>, 3> kProducts = {{{"metrics", Product::metrics},
                                                                {"alerts", Product::alerts},
                                                                {"dashboard", Product::dashboard}}};

struct ObserveOptions {
  std::string product;
  project::ProjectOptions project;
  std::filesystem::path file;
  std::string job;
  std::string title;
  ReportOptions report;
};

std::string text_of(Product product, const model::Application& application,
                    const ObserveOptions& options, const std::string& name) {
  switch (product) {
    case Product::metrics:
      return emit::openapi_text(emit::metric_catalogue(application));
    case Product::alerts:
      return emit::to_yaml(emit::alert_rules(application, options.job));
    case Product::dashboard:
      break;
  }
  std::string title = options.title;
  if (title.empty()) title = name.empty() ? "Fairway" : name;
  return emit::openapi_text(emit::dashboard(application, {.title = title, .job = options.job}));
}

int run(const ObserveOptions& options) {
  const Product product = command::chosen("WHAT", options.product, kProducts);
  if (product == Product::alerts && options.job.empty()) {
    throw command::UsageError(
        "--job is required for alerts: the 'job_name' of the application in the configuration of "
        "Prometheus");
  }
  const project::ProjectReader reader(options.project);
  const project::Project project = reader.read();
  if (!project.report.ok()) return report_findings(project.report, options.report, std::cerr);
  const std::string text =
      text_of(product, project.application, options, reader.application_name());
  if (options.file.empty()) {
    std::cout << text;
  } else {
    files::replace_file(options.file, text);
  }
  if (product == Product::alerts && !emit::has_objectives(project.application)) {
    std::cerr << "fairway: note: there are no alerts, because no route has an 'objective'\n";
  }
  return command::kClean;
}

}  // namespace

void declare_observe(command::Command& command) {
  const auto options = std::make_shared<ObserveOptions>();
  command.operand("WHAT", options->product, command::documented_names(kProducts));
  command.synopsis = "WHAT [options] [-- FLAGS]";
  command.description =
      "Writes files for those who operate an application, from its routes. The application exposes "
      "its metrics if its configuration has an admin listener.";
  command.notes =
      "What:\n"
      "  metrics    metrics of the framework, and the routes in their labels: JSON\n"
      "  alerts     rules of Prometheus for routes with an 'objective': YAML\n"
      "  dashboard  dashboard of Grafana, with a row for each tag: JSON\n";
  command.examples = {{"fairway observe alerts -p build --job shop -o shop.rules.yml",
                       "write a file for 'rule_files' of Prometheus"},
                      {"fairway observe dashboard -p build -o shop.dashboard.json",
                       "write a dashboard to import in Grafana"}};
  options->project.declare(command);
  const command::OptionGroup output = command.group("Output");
  output.path("-o", "FILE", options->file, "write to FILE instead of standard output");
  output.path("--job", "NAME", options->job,
              "'job_name' of the application in the configuration of Prometheus; required for "
              "alerts, and the job that a dashboard shows at first");
  output.path("--title", "TITLE", options->title,
              "title of the dashboard; default: the name of the application");
  options->report.declare(command, options->project);
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
