#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "command/command.hpp"

namespace fairway::command {
namespace {

/// Text for roff: '-' is a minus sign, and no line is a request.
std::string escaped(std::string_view text) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    begins_line = c == '\n';
  }
  return result;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }

std::string header(std::string_view name, std::string_view summary) {
  std::string title(name);
  for (char& c : title) c = fw::base::to_upper(c);
  return fmt::format(".TH {} 1 \"\" \"Fairway " FAIRWAY_VERSION
                     "\" \"Fairway\"\n.SH NAME\n{} \\- {}\n",
                     title, escaped(name), escaped(summary));
}

std::string entry(const std::string& tag, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", tag, escaped(text));
}

std::string option_tag(const DescribedOption& option) {
  std::string tag;
  for (const std::string& name : {option.short_name, option.long_name}) {
    if (!name.empty()) tag += (tag.empty() ? "" : ", ") + bold(name);
  }
  return option.value.empty() ? tag : fmt::format("{} \\fI{}\\fR", tag, option.value);
}

std::string options_section(const CLI::App& app, const std::string& heading_of_flags) {
  std::string text = ".SH OPTIONS\n";
  std::string heading;
  const auto end_heading = [&] {
    if (!heading.empty() && heading == heading_of_flags) {
      text += entry(bold(kFlagsAfterDashes), kHelpOfFlags);
    }
  };
  for (const DescribedOption& option : described_options(app)) {
    if (option.heading != heading) {
      end_heading();
      heading = option.heading;
      text += fmt::format(".SS {}\n", heading);
    }
    text += entry(option_tag(option), option.help);
  }
  end_heading();
  return text;
}

std::string exit_status_section(std::string_view clean, std::string_view findings) {
  std::string text = ".SH EXIT STATUS\n" + entry(bold("0"), clean);
  if (!findings.empty()) text += entry(bold("1"), findings);
  return text + entry(bold("2"), kEnvironmentMeaning);
}

std::string examples_section(const std::vector<Example>& examples) {
  std::string text = ".SH EXAMPLES\n";
  for (const Example& each : examples) {
    if (&each != &examples.front()) text += ".PP\n";
    text += fmt::format("{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", escaped(each.effect),
                        escaped(each.command));
  }
  return text;
}

std::string preformatted(std::string_view text) {
  return fmt::format(".nf\n{}.fi\n", escaped(text));
}

}  // namespace

std::string manual_of_program(const CLI::App& app) {
  std::string text = header("fairway", "the route compiler of Fairway");
  text += fmt::format(".SH SYNOPSIS\n{} COMMAND [options]\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
                      bold("fairway"), escaped(app.get_description()));
  std::string pages;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    text += entry(bold(command->get_name()), command->get_description());
    pages += fmt::format("{}.BR fairway\\-{} (1)", pages.empty() ? "" : ",\n", command->get_name());
  }
  text += options_section(app, {});
  text += exit_status_section(kCleanMeaning, kFindingsMeaning);
  text += ".SH ENVIRONMENT\n";
  text += entry(bold("NO_COLOR"), "if it is set and not empty, output has no colours");
  text += entry(bold("FAIRWAY_RESOURCE_DIR"), "the directory of the headers of Clang");
  text += entry(bold("XDG_CACHE_HOME"), "the directory that contains the cache; default: ~/.cache");
  text += examples_section({{"fairway help doctor", "show the options of a command"}});
  return text + ".SH SEE ALSO\n" + pages + '\n';
}

std::string manual_of(const Command& command) {
  const std::string name = "fairway-" + command.name();
  std::string text = header(name, command.app().get_description());
  text +=
      fmt::format(".SH SYNOPSIS\n{} {}\n.SH DESCRIPTION\n{}\n", bold("fairway " + command.name()),
                  escaped(command.synopsis), escaped(command.description));
  text += options_section(command.app(), command.heading_after_dashes());
  if (!command.notes.empty()) text += ".SH NOTES\n" + preformatted(command.notes);
  text += exit_status_section(command.clean, command.findings);
  text += examples_section(command.examples);
  return text + ".SH SEE ALSO\n.BR fairway (1)\n";
}

}  // namespace fairway::command
