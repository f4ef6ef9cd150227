#include <fmt/format.h>

#include <array>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "frontend/parse.hpp"

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
      "Exit status: 0 nothing to report, 1 errors in the routes or breaking changes, 2 wrong usage "
      "or\n"
      "environment.\n";
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

int fail(const std::string& message, std::string_view hint = {}) {
  std::cerr << "fairway: " << message << '\n';
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
    return fail(fmt::format("unknown command '{}'", words[0]), "See 'fairway --help'.");
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
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace

}  // namespace fairway::cli

int main(int argc, char** argv) {
  return fairway::cli::run(std::vector<std::string>(argv + 1, argv + argc));
}
