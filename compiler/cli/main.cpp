#include <fmt/format.h>

#include <array>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <ranges>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "diagnostics/display_line.hpp"
#include "files/user_error.hpp"
#include "schema/suggest.hpp"

namespace fairway::cli {
namespace {

constexpr std::array<Command, 6> kCommands = {{
    {"build", "resolve everything, write the generated files of one target", run_build, build_help},
    {"doctor", "resolve everything, write nothing, report", run_doctor, doctor_help},
    {"openapi", "write the OpenAPI document", run_openapi, openapi_help},
    {"client", "write a typed client", run_client, client_help},
    {"routes", "print the route table", run_routes, routes_help},
    {"diff", "compare two documents, name breaking changes", run_diff, diff_help},
}};

std::string overview() {
  std::string text =
      "Usage: fairway COMMAND [options]\n\n"
      "Reads route files, resolves every declaration statically, and emits code and documents.\n\n"
      "Commands:\n";
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  }
  text +=
      "\n'fairway COMMAND --help' explains a command.\n\n"
      "Exit status: 0 no errors, 1 errors in the routes or breaking changes, 2 wrong usage or an\n"
      "error of the environment.\n";
  return text;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

bool asks_for_help(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

/// A message has a line for each error.
int fail(std::string_view message, std::string_view hint = {}) {
  for (const auto line : std::views::split(message, '\n')) {
    std::cerr << "fairway: "
              << diagnostics::display_text(std::string_view(line.begin(), line.end())) << '\n';
  }
  if (!hint.empty()) std::cerr << hint << '\n';
  return kFault;
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::cerr << overview();
    return kFault;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::cout << overview();
    return kClean;
  }
  if (words[0] == "--version") {
    std::cout << "fairway " FAIRWAY_VERSION "\n";
    return kClean;
  }
  const Command* command = find_command(words[0]);
  if (command == nullptr) {
    std::vector<std::string_view> names;
    for (const Command& each : kCommands) names.push_back(each.name);
    return fail(
        fmt::format("unknown command '{}'{}", words[0], fw::schema::did_you_mean(words[0], names)),
        "See 'fairway --help'.");
  }
  const std::span<const std::string> rest = std::span(words).subspan(1);
  if (asks_for_help(rest)) {
    std::cout << command->help();
    return kClean;
  }
  try {
    const int status = command->run(rest);
    if (!std::cout.flush()) {
      return fail("cannot write to standard output: free space on its disk, or write elsewhere");
    }
    return status;
  } catch (const UsageError& error) {
    return fail(error.what(), fmt::format("See 'fairway {} --help'.", command->name));
  } catch (const UserError& error) {
    return fail(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(
        fmt::format("cannot access '{}': {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail("out of memory: free some, or read fewer files at a time with --jobs 1");
  } catch (const std::exception& error) {
    return fail(fmt::format("internal error ({})", error.what()),
                "This is a defect of fairway, not of the routes: please report it together with a "
                "route file that shows it.");
  }
}

}  // namespace

}  // namespace fairway::cli

int main(int argc, char** argv) {
  return fairway::cli::run(std::vector<std::string>(argv + 1, argv + argc));
}
