#include "command/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <optional>

#include "base/suggest.hpp"
#include "files/whole_file.hpp"

namespace fairway::command {
namespace {

constexpr std::array<Choice<Shell>, 3> kShells = {
    {{"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}}};

/// Help is printed even if the other words are invalid.
void add_help_flag(CLI::App& app) {
  app.set_help_flag();
  std::vector<std::string> headings = app.get_groups();
  std::erase(headings, "");
  app.add_flag_callback(
         "-h,--help", [] { throw CLI::CallForHelp(); }, "show this help")
      ->trigger_on_parse()
      ->group(headings.empty() ? "Options" : headings.back());
}

/// Rewrites `-p=build` and `--title=` (an empty value), which CLI11 does not accept.
std::vector<std::string> normalized(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool is_short = word.starts_with('-') && equals == 2;
    const bool is_empty = word.starts_with("--") && equals == word.size() - 1;
    if (is_short || is_empty) {
      result.push_back(word.substr(0, equals));
      result.push_back(word.substr(equals + 1));
    } else {
      result.push_back(word);
    }
  }
  return result;
}

/// Removes the words after `--` from `words`, and returns them. Empty if there is no `--`.
std::optional<std::vector<std::string>> split_after_dashes(std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end()) return std::nullopt;
  std::vector<std::string> after(dashes + 1, words.end());
  words.erase(dashes, words.end());
  return after;
}

[[noreturn]] void reject_option(const CLI::App& app, const std::string& word, bool takes_flags) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty() && option->nonpositional())
      known.push_back(option->get_name());
  }
  std::string hint =
      fw::base::did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()));
  if (hint.empty() && takes_flags && !word.starts_with("--")) {
    hint = "; write compiler flags after '--'";
  }
  throw UsageError(fmt::format("unknown option '{}'{}", name, hint));
}

[[noreturn]] void reject_operand(const std::string& word, const Command& command) {
  throw UsageError(
      fmt::format("unexpected operand '{}': {}", word,
                  command.after_dashes() != nullptr
                      ? "use --source-dir for the directory that contains routes/"
                      : fmt::format("write 'fairway {} {}'", command.name(), command.synopsis)));
}

/// Rethrows the errors that CLI11 detects: a value for a flag, a missing value, options that
/// exclude each other, a missing option.
[[noreturn]] void rethrow(const CLI::ParseError& error, const CLI::App& app) {
  const std::string message = error.what();
  const std::string name = message.substr(0, message.find_first_of(": "));
  if (app.get_option_no_throw("--" + name) != nullptr) {
    throw UsageError(fmt::format("--{} takes no value", name));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    throw UsageError(
        fmt::format("{} needs a value: {} {}", name, name, app.get_option(name)->get_type_name()));
  }
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    const std::string other = message.substr(message.rfind(' ') + 1);
    throw UsageError(fmt::format("{} and {} cannot be used together", name, other));
  }
  throw UsageError(message);
}

}  // namespace

void parse_known_options(CLI::App& app, std::vector<std::string> words) {
  (void)split_after_dashes(words);
  std::vector<std::string> reversed = normalized(words);
  std::ranges::reverse(reversed);
  app.allow_extras();
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    rethrow(error, app);
  }
}

CommandLine::CommandLine(std::span<const CommandRow> rows, const std::string& version)
    : app_(std::make_unique<CLI::App>(
          "Reads the route files of an application, checks them before the program is linked, and "
          "writes code and documents.")) {
  app_->allow_extras();
  app_->require_subcommand(0, 1);
  for (const CommandRow& row : rows)
    add(std::string(row.name), std::string(row.summary), row.declare);
  add("completion", "print the completion script of a shell",
      [this](Command& completion) { declare_completion(completion); });
  add("manual", "print a page of the manual", [this](Command& manual) { declare_manual(manual); });
  add("help", "show the help of a command", [this](Command& help) { declare_help(help); });
  app_->set_version_flag("--version", version, "print the versions of fairway and LLVM");
  add_help_flag(*app_);
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& name, const std::string& summary,
                      const std::function<void(Command&)>& declare) {
  CLI::App* const app = app_->add_subcommand(name, summary)->allow_extras();
  declare(commands_.emplace_back(*app));
  add_help_flag(*app);
}

void CommandLine::declare_help(Command& help) {
  help.operand("COMMAND", help_topic_);
  help.synopsis = "[COMMAND]";
  help.description = "Shows the help of a command, or an overview of all commands.";
  help.examples = {{"fairway help doctor", "show the options of fairway doctor"}};
  help.clean = "help was shown";
  help.findings = "";
  help.run = [this](std::span<const std::string>) {
    std::cout << (help_topic_.empty() ? overview_text(*app_) : command(help_topic_).help());
    return kClean;
  };
}

void CommandLine::declare_completion(Command& completion) {
  completion.operand("SHELL", shell_, documented_names(kShells));
  completion.synopsis = "SHELL";
  completion.description =
      "Prints a script that completes the commands and options of fairway: for bash, zsh or fish. "
      "The packages of Fairway install these scripts.";
  completion.examples = {
      {"fairway completion bash > ~/.local/share/bash-completion/completions/fairway", "for bash"},
      {"fairway completion fish > ~/.config/fish/completions/fairway.fish", "for fish"}};
  completion.clean = "the script was printed";
  completion.findings = "";
  completion.run = [this](std::span<const std::string>) {
    std::cout << completion_script(chosen("SHELL", shell_, kShells), *app_);
    return kClean;
  };
}

void CommandLine::declare_manual(Command& manual) {
  manual.operand("COMMAND", page_);
  manual.synopsis = "[COMMAND | --out-dir DIR]";
  manual.description =
      "Prints the manual page of a command, or of fairway, for man(1). The packages "
      "of Fairway install these pages.";
  manual.examples = {{"fairway manual doctor | man -l -", "read the page of fairway doctor"},
                     {"fairway manual --out-dir man1", "write all pages, for packages"}};
  manual.clean = "the page was printed";
  manual.findings = "";
  manual.group("Output").path("--out-dir", "DIR", manual_dir_, "write all pages to DIR instead");
  manual.run = [this](std::span<const std::string>) {
    if (!page_.empty() && !manual_dir_.empty()) {
      throw UsageError("COMMAND and --out-dir exclude each other");
    }
    if (manual_dir_.empty()) {
      std::cout << (page_.empty() ? manual_of_program(*app_) : manual_of(command(page_)));
      return kClean;
    }
    const std::filesystem::path folder = manual_dir_;
    std::filesystem::create_directories(folder);
    files::replace_file(folder / "fairway.1", manual_of_program(*app_));
    for (const Command& each : commands_) {
      files::replace_file(folder / fmt::format("fairway-{}.1", each.name()), manual_of(each));
    }
    return kClean;
  };
}

const Command* CommandLine::find(std::string_view name) const {
  const auto found = std::ranges::find(commands_, name, &Command::name);
  return found == commands_.end() ? nullptr : &*found;
}

const Command& CommandLine::command(const std::string& name) const {
  if (const Command* found = find(name)) return *found;
  std::vector<std::string_view> names;
  for (const CLI::App* each : app_->get_subcommands(nullptr)) names.push_back(each->get_name());
  throw UsageError(
      fmt::format("unknown command '{}'{}", name, fw::base::did_you_mean(name, names)));
}

std::string CommandLine::help_command(std::string_view word) const {
  return find(word) == nullptr ? "fairway --help" : fmt::format("fairway {} --help", word);
}

int CommandLine::run(const std::vector<std::string>& all_words) {
  std::vector<std::string> words = all_words;
  const auto after_dashes = split_after_dashes(words);
  if (words.empty()) {
    std::cerr << overview_text(*app_);
    return kEnvironment;
  }
  std::vector<std::string> reversed = normalized(words);
  std::ranges::reverse(reversed);
  bool asks_for_help = false;
  const auto parsed = [&] {
    const auto apps = app_->get_subcommands();
    return apps.empty() ? app_.get() : apps.front();
  };
  try {
    app_->parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    asks_for_help = true;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << '\n';
    return kClean;
  } catch (const CLI::ParseError& error) {
    reject_leftovers(*parsed());
    rethrow(error, *parsed());
  }
  reject_leftovers(*app_);
  const Command* const chosen = find(parsed()->get_name());
  if (asks_for_help) {
    std::cout << (chosen == nullptr ? overview_text(*app_) : chosen->help());
    return kClean;
  }
  reject_leftovers(*parsed());
  if (after_dashes) {
    if (chosen->after_dashes() == nullptr) reject_operand("--", *chosen);
    *chosen->after_dashes() = *after_dashes;
  }
  return chosen->run(std::span(all_words).subspan(1));
}

void CommandLine::reject_leftovers(const CLI::App& app) const {
  const std::vector<std::string> words = app.remaining();
  if (words.empty()) return;
  const std::string& word = words.front();
  const Command* const owner = find(app.get_name());
  const bool takes_flags = owner != nullptr && owner->after_dashes() != nullptr;
  if (word.starts_with('-') && word.size() > 1) reject_option(app, word, takes_flags);
  reject_operand(word, command(&app == app_.get() ? word : app.get_name()));
}

}  // namespace fairway::command
