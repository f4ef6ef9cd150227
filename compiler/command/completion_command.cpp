#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command/command.hpp"
#include "process/processes.hpp"

namespace fairway::command {
namespace {

using process::shell_word;

/// What the value of an option is.
enum class Value { none, any, choice, file, directory };

Value value_of(const DescribedOption& option) {
  if (option.value.empty()) return Value::none;
  if (!option.choices.empty()) return Value::choice;
  if (option.value == "DIR") return Value::directory;
  return option.value == "FILE" ? Value::file : Value::any;
}

std::vector<std::string> names_of(const DescribedOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : {option.short_name, option.long_name}) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

/// The help up to the first semicolon, which separates details.
std::string summary_of(const DescribedOption& option) {
  return option.help.substr(0, option.help.find(';'));
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands(nullptr);
}

std::string names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

std::string names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const DescribedOption& option : described_options(app)) {
    for (const std::string& name : names_of(option)) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

/// The values of the first operand; empty if they are not a list.
std::string operands_of(const CLI::App& command, const CLI::App& app) {
  const auto operands = described_operands(command);
  if (operands.empty()) return "";
  if (operands.front().value == "COMMAND") return names_of_commands(app);
  return fmt::format("{}", fmt::join(operands.front().choices, " "));
}

// bash

std::string bash_reply(const DescribedOption& option) {
  switch (value_of(option)) {
    case Value::choice:
      return fmt::format("reply -W {}",
                         shell_word(fmt::format("{}", fmt::join(option.choices, " "))));
    case Value::directory:
      return "reply -d";
    case Value::file:
      return "reply -f";
    case Value::none:
    case Value::any:
      break;
  }
  return ":";
}

std::string bash_script(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    cases += fmt::format("    {})\n      case $previous in\n", command->get_name());
    for (const DescribedOption& option : described_options(*command)) {
      if (value_of(option) == Value::none) continue;
      cases += fmt::format("        {}) {}; return ;;\n", fmt::join(names_of(option), "|"),
                           bash_reply(option));
    }
    cases +=
        fmt::format("      esac\n      words={}\n      operands={} ;;\n",
                    shell_word(names_of_options(*command)), shell_word(operands_of(*command, app)));
  }
  return fmt::format(R"(# Completion of fairway for bash.
_fairway() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words operands
  reply() {{
    [ "$1" = -W ] || compopt -o filenames
    mapfile -t COMPREPLY < <(compgen "$@" -- "$current")
  }}
  if ((COMP_CWORD == 1)); then
    reply -W {}
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $current == -* ]]; then
    reply -W "$words"
  elif [ -n "$operands" ]; then
    reply -W "$operands"
  else
    reply -f
  fi
}}
complete -F _fairway fairway
)",
                     shell_word(names_of_commands(app) + " " + names_of_options(app)), cases);
}

// zsh

/// Colons and brackets end the parts of a specification.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_value(const DescribedOption& option) {
  switch (value_of(option)) {
    case Value::none:
      return "";
    case Value::choice:
      return fmt::format(":{}:({})", option.value, fmt::join(option.choices, " "));
    case Value::directory:
      return fmt::format(":{}:_files -/", option.value);
    case Value::file:
      return fmt::format(":{}:_files", option.value);
    case Value::any:
      break;
  }
  return fmt::format(":{}: ", option.value);
}

std::string zsh_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commands_of(app)) {
    const std::string name = command->get_name();
    commands +=
        fmt::format("    {}\n", shell_word(name + ":" + zsh_text(command->get_description())));
    cases += fmt::format("    {})\n      _arguments", name);
    for (const DescribedOption& option : described_options(*command)) {
      for (const std::string& each : names_of(option)) {
        cases += " \\\n        " +
                 shell_word(fmt::format("*{}[{}]{}", each, zsh_text(summary_of(option)),
                                        zsh_value(option)));
      }
    }
    const std::string operands = operands_of(*command, app);
    cases += " \\\n        " +
             shell_word(operands.empty() ? "*:file:_files" : fmt::format("1:word:({})", operands)) +
             " ;;\n";
  }
  return fmt::format(R"(#compdef fairway
# Completion of fairway for zsh.
_fairway() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((--CURRENT))
  case $words[1] in
{}  esac
}}
_fairway "$@"
)",
                     commands, cases);
}

// fish

std::string fish_script(const CLI::App& app) {
  std::string text = "# Completion of fairway for fish.\n";
  const auto add = [&](std::string_view condition, const DescribedOption& option) {
    text += fmt::format("complete -c fairway -n {}", shell_word(condition));
    if (!option.short_name.empty()) text += " -s " + option.short_name.substr(1);
    if (!option.long_name.empty()) text += " -l " + option.long_name.substr(2);
    switch (value_of(option)) {
      case Value::none:
        break;
      case Value::any:
        text += " -x";
        break;
      case Value::choice:
        text += " -x -a " + shell_word(fmt::format("{}", fmt::join(option.choices, " ")));
        break;
      case Value::file:
        text += " -r -F";
        break;
      case Value::directory:
        text += " -x -a '(__fish_complete_directories)'";
        break;
    }
    text += fmt::format(" -d {}\n", shell_word(summary_of(option)));
  };
  for (const DescribedOption& option : described_options(app)) {
    add("__fish_use_subcommand", option);
  }
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format("complete -c fairway -n __fish_use_subcommand -f -a {} -d {}\n",
                        command->get_name(), shell_word(command->get_description()));
    const std::string condition = "__fish_seen_subcommand_from " + command->get_name();
    for (const DescribedOption& option : described_options(*command)) add(condition, option);
    const std::string operands = operands_of(*command, app);
    if (!operands.empty()) {
      text += fmt::format("complete -c fairway -n {} -f -a {}\n", shell_word(condition),
                          shell_word(operands));
    }
  }
  return text;
}

}  // namespace

std::string completion_script(Shell shell, const CLI::App& app) {
  switch (shell) {
    case Shell::bash:
      return bash_script(app);
    case Shell::zsh:
      return zsh_script(app);
    case Shell::fish:
      break;
  }
  return fish_script(app);
}

}  // namespace fairway::command
