// A command of `fairway`: it declares its options, its help and its function.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/option_group.hpp"

namespace fairway::command {

// Exit statuses, documented in --help.
inline constexpr int kClean = 0;
inline constexpr int kFindings = 1;
inline constexpr int kEnvironment = 2;
inline constexpr std::string_view kEnvironmentMeaning = "usage error or environment error";

// The compiler flags after `--`, in the help and in the manual.
inline constexpr std::string_view kFlagsAfterDashes = "-- FLAGS";
inline constexpr std::string_view kHelpOfFlags =
    "compiler flags, used instead of the build directory";

/// A command line and its explanation in --help.
struct Example {
  std::string command;
  std::string effect;
};

class Command {
 public:
  /// Gets the words after the command's name. Returns the exit status; throws UserError.
  using Run = std::function<int(std::span<const std::string> words)>;

  /// `app` must outlive the command.
  explicit Command(CLI::App& app) : app_(&app) {}

  OptionGroup group(const std::string& heading) { return {*app_, heading}; }
  /// An optional word that is not an option. Operands are in the order of the calls. Completion
  /// offers `choices`; the command checks the word.
  void operand(const std::string& value, std::string& variable,
               const std::vector<std::string_view>& choices = {});
  /// Accepts compiler flags after `--`, which are an error for other commands. They are documented
  /// below `heading`, which must have an option.
  void words_after_dashes(const std::string& heading, std::vector<std::string>& variable);

  const CLI::App& app() const { return *app_; }
  std::string name() const;
  /// Usage, description, options by heading, examples, exit statuses.
  std::string help() const;
  std::vector<std::string>* after_dashes() const { return after_dashes_; }
  const std::string& heading_after_dashes() const { return heading_after_dashes_; }

  // For --help.
  std::string synopsis;     ///< after "Usage: fairway NAME"
  std::string description;  ///< before the options
  std::string notes = {};   ///< after the options
  std::vector<Example> examples = {};
  std::string clean = "no errors";                ///< meaning of exit status 0
  std::string findings = "errors in the routes";  ///< meaning of exit status 1

  Run run;

 private:
  CLI::App* app_;
  std::vector<std::string>* after_dashes_ = nullptr;
  std::string heading_after_dashes_;
};

/// The text of `fairway --help`.
std::string overview_text(const CLI::App& app);

// Exit statuses 0 and 1 of all commands.
inline constexpr std::string_view kCleanMeaning = "no errors";
inline constexpr std::string_view kFindingsMeaning =
    "errors in the routes, breaking changes, or other findings of the command";

// manual_command.cpp: the pages of the manual, for man(1).

std::string manual_of_program(const CLI::App& app);
std::string manual_of(const Command& command);

// completion_command.cpp: the completion of command lines.

enum class Shell { bash, zsh, fish };
std::string completion_script(Shell shell, const CLI::App& app);

}  // namespace fairway::command
