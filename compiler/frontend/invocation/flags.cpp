#include "frontend/invocation/flags.hpp"

#include <clang/Tooling/ArgumentsAdjusters.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <fmt/format.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "frontend/invocation/application_commands.hpp"

namespace fairway::frontend {
namespace {

/// Options that make no sense for a parse and that Clang's adjusters keep.
constexpr std::array<std::string_view, 6> kDropped = {"-c",    "-S",          "-E",
                                                      "-pipe", "-save-temps", "-pedantic-errors"};
constexpr std::array<std::string_view, 5> kDroppedWithValue = {"-x", "-MJ", "-Xlinker",
                                                               "-Xassembler", "-mllvm"};

/// The beginnings of options that concern only warnings, other programs and the output: sanitizers,
/// link-time optimisation, profiles, tuning, debug information. Clang does not accept all of GCC's
/// values, such as `-flto=2`, and would read the profiles.
constexpr std::array<std::string_view, 14> kDroppedPrefixes = {"-W",
                                                               "-fsanitize",
                                                               "-fno-sanitize",
                                                               "-flto",
                                                               "-fno-lto",
                                                               "-ffat-lto",
                                                               "-fno-fat-lto",
                                                               "-fprofile",
                                                               "-fauto-profile",
                                                               "-fdiagnostics",
                                                               "-mtune=",
                                                               "-mfpmath=",
                                                               "-mfunction-return=",
                                                               "-g"};

bool contains(const auto& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool does_not_affect_parsing(const std::string& argument) {
  return std::ranges::any_of(kDroppedPrefixes,
                             [&](auto prefix) { return argument.starts_with(prefix); });
}

/// The options in `-Wp,-DNAME,-MD,file`. Options for dependency files are dropped, including their
/// file names.
std::vector<std::string> preprocessor_options(std::string_view list) {
  constexpr std::array<std::string_view, 5> kWithFile = {"-MD", "-MMD", "-MF", "-MT", "-MQ"};
  std::vector<std::string> options;
  bool is_file = false;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view option = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const bool is_dependency = is_file || option.starts_with("-M");
    is_file = !is_file && contains(kWithFile, option);
    if (!is_dependency) options.emplace_back(option);
  }
  return options;
}

bool is_build_systems_header(const std::string& path) {
  return path.find("cmake_pch") != std::string::npos;
}

/// Replaces precompiled headers by their source, because headers of another compiler, or of another
/// version, cannot be read. The source is passed to the parser directly, because the driver would
/// look for the precompiled header again.
class PrecompiledHeaders {
 public:
  /// Returns whether the argument at `index` was replaced, and moves `index` to its last word.
  static bool replace(const std::vector<std::string>& arguments, std::size_t& index,
                      std::vector<std::string>& kept) {
    const auto at = [&](std::size_t offset) {
      return index + offset < arguments.size() ? arguments[index + offset] : std::string();
    };
    if (at(0) == "-include" && is_build_systems_header(at(1))) {
      include_text(at(1), kept);
      index += 1;
      return true;
    }
    if (at(0) == "-Xclang" && at(1) == "-include-pch") {
      index += 3;
      return true;
    }
    if (at(0) == "-Xclang" && at(1) == "-include" && is_build_systems_header(at(3))) {
      include_text(at(3), kept);
      index += 3;
      return true;
    }
    return false;
  }

 private:
  static void include_text(const std::string& path, std::vector<std::string>& kept) {
    kept.insert(kept.end(), {"-Xclang", "-include", "-Xclang", path});
  }
};

/// Removes the outputs, dependency files and plugins of the compilation.
std::vector<std::string> without_outputs(const std::vector<std::string>& arguments) {
  namespace tooling = clang::tooling;
  const auto adjust = tooling::combineAdjusters(
      tooling::getClangStripOutputAdjuster(),
      tooling::combineAdjusters(tooling::getClangStripDependencyFileAdjuster(),
                                tooling::getStripPluginsAdjuster()));
  tooling::CommandLineArguments command = {"clang++"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command = adjust(command, "");
  command.erase(command.begin());
  return command;
}

std::vector<std::string> usable(const std::vector<std::string>& all) {
  // Done before the adjusters, which would drop the option but keep its value.
  std::vector<std::string> arguments;
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (contains(kDroppedWithValue, all[index])) {
      ++index;
    } else {
      arguments.push_back(all[index]);
    }
  }
  arguments = without_outputs(arguments);
  std::vector<std::string> kept;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string& argument = arguments[index];
    if (argument.empty() || contains(kDropped, argument)) continue;
    if (PrecompiledHeaders::replace(arguments, index, kept)) continue;
    if ((argument == "-Xclang" || argument == "-Xpreprocessor") && index + 1 < arguments.size()) {
      kept.insert(kept.end(), {argument, arguments[++index]});
      continue;
    }
    constexpr std::string_view kPreprocessor = "-Wp,";  // the only -W option that affects parsing
    if (argument.starts_with(kPreprocessor)) {
      const auto options =
          preprocessor_options(std::string_view(argument).substr(kPreprocessor.size()));
      kept.insert(kept.end(), options.begin(), options.end());
    } else if (!does_not_affect_parsing(argument)) {
      kept.push_back(argument);
    }
  }
  return kept;
}

/// Whether `argument` is the file that the command compiles, in any spelling.
bool names_file(const std::string& argument, const std::string& directory,
                const std::string& file) {
  namespace fs = std::filesystem;
  if (argument.starts_with('-')) return false;
  const fs::path start = directory;
  return (start / argument).lexically_normal() == (start / file).lexically_normal();
}

/// Whether the object file that `command` writes is below `folder`.
bool writes_below(const clang::tooling::CompileCommand& command, const std::string& folder) {
  namespace fs = std::filesystem;
  const auto& line = command.CommandLine;
  const auto option = std::find(line.begin(), line.end(), "-o");
  if (option == line.end() || option + 1 == line.end()) return false;
  const fs::path object = (fs::path(command.Directory) / option[1]).lexically_normal();
  const fs::path below = object.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

std::string one_line(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
    text.replace(at, 1, "; ");
  return text;
}

/// With the arguments in response files (`@FILE`), which only the commands of compilers read. A
/// compilation database has them already.
std::vector<std::string> with_response_files(std::vector<std::string> arguments,
                                             const std::string& directory) {
  namespace tooling = clang::tooling;
  const auto is_file = [](const std::string& argument) { return argument.starts_with('@'); };
  if (std::ranges::none_of(arguments, is_file)) return arguments;
  const auto database = tooling::expandResponseFiles(
      std::make_unique<tooling::FixedCompilationDatabase>(directory, arguments),
      llvm::vfs::getRealFileSystem());
  const std::vector<std::string> line = database->getCompileCommands("f").front().CommandLine;
  return {line.begin() + 1, line.end() - 1};  // without the program and the file
}

class FixedFlags : public FlagsProvider {
 public:
  FixedFlags(std::vector<std::string> arguments, const std::string& directory)
      : flags_{usable(with_response_files(std::move(arguments), directory)), directory} {}
  CompileFlags flags_for(const std::string&) const override { return flags_; }

 private:
  CompileFlags flags_;
};

std::vector<ApplicationDirectories> directories_of(
    const std::vector<DatabaseApplication>& applications) {
  std::vector<ApplicationDirectories> directories;
  for (const DatabaseApplication& each : applications) {
    directories.push_back({each.source_dir, each.output_dir});
  }
  return directories;
}

class DatabaseFlags : public FlagsProvider {
 public:
  DatabaseFlags(std::unique_ptr<clang::tooling::CompilationDatabase> database,
                std::string object_dir, std::string note, std::string application,
                std::string output_directory, std::vector<ApplicationDirectories> applications)
      : database_(std::move(database)),
        object_dir_(std::move(object_dir)),
        note_(std::move(note)),
        application_(std::move(application)),
        output_directory_(std::move(output_directory)),
        applications_(std::move(applications)) {}

  std::string note() const override { return note_; }
  std::string application() const override { return application_; }
  std::string output_directory() const override { return output_directory_; }
  std::vector<ApplicationDirectories> applications() const override { return applications_; }
  std::vector<ApplicationDirectories> all_applications() const override {
    return object_dir_.empty() ? applications_ : directories_of(applications_of(*database_));
  }

  CompileFlags flags_for(const std::string& absolute_path) const override {
    auto commands = database_->getCompileCommands(absolute_path);
    if (!object_dir_.empty()) {
      std::erase_if(commands, [&](const clang::tooling::CompileCommand& command) {
        return !writes_below(command, object_dir_);
      });
      if (commands.empty()) {
        throw EnvironmentError("the compilation database has no command for '" + absolute_path +
                               "' with an object file below '" + object_dir_ + "'");
      }
    }
    if (commands.empty()) {
      throw EnvironmentError("the compilation database has no command for '" + absolute_path +
                             "' or a file beside it");
    }
    const auto& command = commands.front();
    std::vector<std::string> arguments;
    for (std::size_t index = 1; index < command.CommandLine.size(); ++index) {
      const std::string& argument = command.CommandLine[index];
      if (argument == "--") break;
      if (names_file(argument, command.Directory, command.Filename)) continue;
      arguments.push_back(argument);
    }
    return {usable(arguments), command.Directory};
  }

 private:
  std::unique_ptr<clang::tooling::CompilationDatabase> database_;
  std::string object_dir_;
  std::string note_;
  std::string application_;
  std::string output_directory_;
  std::vector<ApplicationDirectories> applications_;
};

/// "'a'", "'a' and 'b'", "'a', 'b' and 'c'".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (index > 0) text += index + 1 == names.size() ? " and " : ", ";
    text += '\'' + names[index] + '\'';
  }
  return text;
}

bool is_in(const DatabaseApplication& application, const std::string& source_dir) {
  std::error_code error;
  return application.source_dir == source_dir ||
         std::filesystem::equivalent(application.source_dir, source_dir, error);
}

/// The application called `name`. Empty if `name` is empty, or if the database is not from
/// fairway_add_app.
std::optional<DatabaseApplication> named_application(
    const std::vector<DatabaseApplication>& applications, const std::string& name,
    const std::string& source_dir) {
  if (name.empty() || applications.empty()) return std::nullopt;
  std::vector<std::string> names;
  std::string other_dir;
  for (const DatabaseApplication& each : applications) {
    if (!each.is_named(name)) {
      names.push_back(each.shown_name());
    } else if (is_in(each, source_dir)) {
      return each;
    } else {
      other_dir = each.source_dir;
    }
  }
  if (!other_dir.empty()) {
    throw EnvironmentError(
        fmt::format("--name: the sources of '{}' are in '{}', not in '{}': specify that directory "
                    "with --source-dir",
                    name, other_dir, source_dir));
  }
  throw EnvironmentError(
      fmt::format("--name: the compilation database has no application or target '{}'; it has {}",
                  name, listed(names)));
}

/// The application whose flags are used for the files of a directory by default.
std::optional<DatabaseApplication> first_in(const std::vector<DatabaseApplication>& applications,
                                            const std::string& source_dir) {
  const auto first = std::ranges::find_if(
      applications, [&](const DatabaseApplication& each) { return is_in(each, source_dir); });
  return first == applications.end() ? std::nullopt : std::optional(*first);
}

/// A note about the flags that are used if several applications compile the same files.
std::string note_of_choice(const std::vector<DatabaseApplication>& applications,
                           const std::string& source_dir) {
  std::vector<std::string> names;
  for (const DatabaseApplication& each : applications) {
    if (is_in(each, source_dir)) names.push_back(each.shown_name());
  }
  if (names.size() < 2) return {};
  return fmt::format(
      "{} compile the files in '{}': they are parsed with the flags of '{}'; choose another "
      "application with --name",
      listed(names), source_dir, names.front());
}

}  // namespace

std::unique_ptr<FlagsProvider> flags_from_database(const std::string& build_dir,
                                                   const CommandChoice& choice) {
  std::string error;
  auto database = clang::tooling::CompilationDatabase::loadFromDirectory(build_dir, error);
  if (database == nullptr) {
    throw EnvironmentError(
        fmt::format("no usable compile_commands.json in '{}' ({}): configure with "
                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, specify the build directory with -p, or "
                    "the flags after '--'",
                    build_dir, one_line(error)));
  }
  std::string note;
  std::string application;
  std::string output_directory;
  std::vector<ApplicationDirectories> directories;
  if (choice.object_dir.empty()) {
    const auto applications = applications_of(*database);
    directories = directories_of(applications);
    auto chosen = named_application(applications, choice.name, choice.source_dir);
    if (chosen) {
      database = commands_for(std::move(database), *chosen);
    } else {
      note = note_of_choice(applications, choice.source_dir);
      chosen = first_in(applications, choice.source_dir);
    }
    if (chosen) {
      application = chosen->target.empty() ? chosen->name : chosen->target;
      output_directory = chosen->output_dir;
    }
  }
  return std::make_unique<DatabaseFlags>(std::move(database), choice.object_dir, std::move(note),
                                         std::move(application), std::move(output_directory),
                                         std::move(directories));
}

std::unique_ptr<FlagsProvider> fixed_flags(std::vector<std::string> arguments,
                                           std::string directory) {
  return std::make_unique<FixedFlags>(std::move(arguments), directory);
}

}  // namespace fairway::frontend
