// A command line with several commands, parsed by CLI11.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/command.hpp"

namespace fairway::command {

/// Sets the options that are declared for `app`, and ignores other words. Throws UsageError.
void parse_known_options(CLI::App& app, std::vector<std::string> words);

struct CommandRow {
  std::string_view name;
  std::string_view summary;  ///< for the overview
  void (*declare)(Command& command);
};

/// The commands of a program, and those that describe them: `completion`, `manual` and `help`.
class CommandLine {
 public:
  CommandLine(std::span<const CommandRow> rows, const std::string& version);
  ~CommandLine();

  /// Runs the command that the words name, or prints help or the version. Returns the exit status.
  /// Throws UsageError, and the exceptions of the command.
  int run(const std::vector<std::string>& words);
  /// The command that shows the help for a command line that begins with `word`.
  std::string help_command(std::string_view word) const;

 private:
  void add(const std::string& name, const std::string& summary,
           const std::function<void(Command&)>& declare);
  void declare_help(Command& help);
  void declare_completion(Command& completion);
  void declare_manual(Command& manual);
  const Command* find(std::string_view name) const;
  /// Throws UsageError.
  const Command& command(const std::string& name) const;
  /// Throws UsageError for words that `app` could not parse.
  void reject_leftovers(const CLI::App& app) const;

  std::unique_ptr<CLI::App> app_;
  std::list<Command> commands_;
  std::string help_topic_;
  std::string shell_;
  std::string page_;
  std::string manual_dir_;
};

}  // namespace fairway::command
