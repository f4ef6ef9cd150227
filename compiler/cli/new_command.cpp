// fairway new: a project that builds and passes its own tests.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/suggest.hpp"
#include "cli/commands.hpp"
#include "project/installation.hpp"
#include "scaffold/scaffold.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string folder;
  std::string template_name;
  std::string fairway_source;
};

std::vector<std::string_view> template_names() {
  std::vector<std::string_view> names;
  for (const auto& each : scaffold::project_templates()) names.push_back(each.name);
  return names;
}

const scaffold::ProjectTemplate& template_named(const std::string& name) {
  if (name.empty()) return scaffold::project_templates().front();
  if (const auto* found = scaffold::find_template(name)) return *found;
  const auto names = template_names();
  throw command::UsageError(fmt::format("--template must be {}, not '{}'{}",
                                        command::alternatives(names), name,
                                        fw::base::did_you_mean(name, names)));
}

bool is_interactive() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

/// The line that the user types; `fallback` for an empty one.
std::string ask(const std::string& question, std::string_view fallback) {
  std::cerr << fmt::format("{} [{}]: ", question, fallback) << std::flush;
  std::string line;
  if (!std::getline(std::cin, line)) {
    std::cerr << '\n';
    throw UserError("no project was created: the input ended");
  }
  const auto begin = line.find_first_not_of(" \t");
  if (begin == line.npos) return std::string(fallback);
  return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

/// Asks for the values that the command line does not contain, if standard input is a terminal.
/// Repeats a question until the input is valid.
void ask_for_missing(NewOptions& options) {
  if (!options.folder.empty()) return;
  if (!is_interactive()) {
    throw command::UsageError("NAME is required: write 'fairway new NAME'");
  }
  while (options.folder.empty()) {
    const std::string name = ask("Name of the project", "my-api");
    try {
      options.folder = scaffold::ProjectName(name).text();
    } catch (const scaffold::BadProjectName& error) {
      std::cerr << error.what() << '\n';
    }
  }
  while (options.template_name.empty()) {
    for (const auto& each : scaffold::project_templates()) {
      std::cerr << fmt::format("  {:<8} {}\n", each.name, each.summary);
    }
    const std::string name = ask("Template", scaffold::project_templates().front().name);
    if (scaffold::find_template(name) != nullptr) {
      options.template_name = name;
    } else {
      std::cerr << fmt::format("there is no template '{}'{}\n", name,
                               fw::base::did_you_mean(name, template_names()));
    }
  }
}

/// A folder becomes absolute, because the project may move; a URL stays as it is.
std::string resolved_source(const std::string& source) {
  if (source.empty() || source.find("://") != source.npos || source.ends_with(".git") ||
      source.find(".git#") != source.npos) {
    return source;
  }
  const fs::path folder = fs::absolute(source).lexically_normal();
  if (!fs::exists(folder / "cmake" / "FairwayAddApp.cmake")) {
    throw command::UsageError(fmt::format(
        "--fairway-source must be the folder or the URL of Fairway's sources, not '{}'", source));
  }
  return folder.string();
}

int run(NewOptions options) {
  ask_for_missing(options);
  const auto& project_template = template_named(options.template_name);
  fs::path folder(options.folder);
  if (!folder.has_filename()) folder = folder.parent_path();
  const scaffold::ProjectName name(folder.filename().string());
  const std::string source = resolved_source(options.fairway_source);
  std::string flags;
  if (source.empty()) {
    for (const std::string& flag : project::flags_to_find_fairway()) flags += " " + flag;
  }
  const std::string version = FAIRWAY_VERSION;
  const auto files = scaffold::rendered_files(
      project_template, {{"project", name.text()},
                         {"identifier", name.identifier()},
                         {"macro", name.macro()},
                         {"fairway_source", source},
                         {"fairway_version", version.substr(0, version.rfind('.'))}});
  scaffold::write_new_folder(folder, files);
  std::cout << fmt::format(
      "Created '{}': {} files of the template '{}'.\n\n"
      "  cd {}\n"
      "  fairway dev    # builds and serves it, again after each change\n\n"
      "or\n\n"
      "  cmake --preset dev{} && cmake --build --preset dev && ctest --preset dev\n",
      folder.string(), files.size(), project_template.name, folder.string(), flags);
  return command::kClean;
}

}  // namespace

void declare_new(command::Command& command) {
  const auto options = std::make_shared<NewOptions>();
  command.operand("NAME", options->folder);
  command.synopsis = "[NAME] [options]";
  command.description =
      "Creates the folder NAME with a project that builds and passes its own tests. Without NAME, "
      "asks for the missing values if it runs in a terminal. Writes nothing if there is an error.";
  command.notes = "Templates:\n";
  for (const auto& each : scaffold::project_templates()) {
    command.notes += fmt::format("  {:<8} {}\n", each.name, each.summary);
  }
  command.examples = {{"fairway new shop", "create the project 'shop' from the template 'api'"},
                      {"fairway new shop --template minimal", "create it with one route"},
                      {"fairway new shop --fairway-source ../fairway",
                       "build Fairway as a part of the project, from its sources"}};
  const command::OptionGroup project = command.group("Project");
  project.path("--template", "NAME", options->template_name,
               "api (default), minimal, gateway or pages; see below");
  project.path("--fairway-source", "SOURCE", options->fairway_source,
               "folder or URL of Fairway's sources; default: the installed Fairway");
  command.clean = "the project was created";
  command.findings = "";
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
