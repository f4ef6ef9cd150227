#include "command/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace fairway::command {
namespace {

constexpr std::size_t kWidth = 80;

/// The words of `text` in lines that begin at `column`, which the caller has reached in the first
/// line.
std::string wrapped(std::string_view text, std::size_t column) {
  std::string result;
  for (std::size_t used = column; !text.empty();) {
    const std::size_t size = std::min(text.find(' '), text.size());
    if (used > column && used + 1 + size > kWidth) {
      result += fmt::format("\n{:{}}", "", column);
      used = column;
    } else if (used > column) {
      result += ' ';
      ++used;
    }
    result += text.substr(0, size);
    used += size;
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return result;
}

/// A name, and its meaning in a second column.
std::string row(const std::string& name, std::string_view meaning, std::size_t column) {
  const std::string left = "  " + name;
  const std::string separator = left.size() + 2 > column ? fmt::format("\n{:{}}", "", column)
                                                         : std::string(column - left.size(), ' ');
  return left + separator + wrapped(meaning, column) + '\n';
}

/// All options below their headings. `last_row` is added to the heading `heading_of_row`.
std::string options_text(const CLI::App& app, std::size_t column,
                         const std::string& heading_of_row = {}, const std::string& last_row = {}) {
  std::string text;
  std::string heading;
  const auto end_heading = [&] {
    if (!heading.empty() && heading == heading_of_row) text += last_row;
  };
  for (const DescribedOption& option : described_options(app)) {
    if (option.heading != heading) {
      end_heading();
      heading = option.heading;
      text += fmt::format("\n{}:\n", heading);
    }
    text += row(option.spelling(), option.help, column);
  }
  end_heading();
  return text;
}

std::string exit_statuses(const std::string& clean, const std::string& findings) {
  std::string text = "\nExit status:\n" + row("0", clean, 5);
  if (!findings.empty()) text += row("1", findings, 5);
  return text + row("2", kEnvironmentMeaning, 5);
}

}  // namespace

std::string Command::name() const { return app_->get_name(); }

void Command::operand(const std::string& value, std::string& variable,
                      const std::vector<std::string_view>& choices) {
  app_->add_option(value, variable)->group("");
  describe_choices(*app_, value, choices);
}

void Command::words_after_dashes(const std::string& heading, std::vector<std::string>& variable) {
  after_dashes_ = &variable;
  heading_after_dashes_ = heading;
}

std::string Command::help() const {
  constexpr std::size_t kColumn = 26;
  std::string text =
      fmt::format("Usage: fairway {} {}\n\n{}\n", name(), synopsis, wrapped(description, 0));
  text += options_text(*app_, kColumn, heading_after_dashes_,
                       row(std::string(kFlagsAfterDashes), kHelpOfFlags, kColumn));
  if (!notes.empty()) text += '\n' + notes;
  text += "\nExamples:\n";
  for (const Example& example : examples) {
    text += fmt::format("  # {}\n  {}\n", example.effect, example.command);
  }
  return text + exit_statuses(clean, findings);
}

std::string overview_text(const CLI::App& app) {
  constexpr std::size_t kColumn = 19;
  std::string text = fmt::format("Usage: fairway COMMAND [options]\n\n{}\n\nCommands:\n",
                                 wrapped(app.get_description(), 0));
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    text += row(command->get_name(), command->get_description(), kColumn);
  }
  return text + options_text(app, kColumn) +
         "\nExamples:\n"
         "  # show the options of a command\n"
         "  fairway help doctor\n" +
         exit_statuses(std::string(kCleanMeaning), std::string(kFindingsMeaning));
}

}  // namespace fairway::command
