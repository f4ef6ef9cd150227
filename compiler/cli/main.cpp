// The command `fairway`: runs a command line and reports its errors.
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <signal.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "diagnostics/display_line.hpp"
#include "files/user_error.hpp"
#include "frontend/parse.hpp"

namespace fairway::cli {
namespace {

/// `message` has one line for each error.
int fail(const std::string& message, std::string_view hint = {}) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    std::cerr << "fairway: " << diagnostics::display_text(line) << '\n';
  }
  if (!hint.empty()) std::cerr << hint << '\n';
  return command::kEnvironment;
}

int run(const std::vector<std::string>& words) {
  command::CommandLine command_line(
      all_commands(),
      fmt::format("fairway {} (LLVM {})", FAIRWAY_VERSION, frontend::llvm_version()));
  try {
    const int status = command_line.run(words);
    if (!std::cout.flush()) {
      return fail("cannot write to standard output: free space on the disk, or use another file");
    }
    return status;
  } catch (const command::UsageError& error) {
    return fail(error.what(), fmt::format("See '{}'.", command_line.help_command(words.front())));
  } catch (const UserError& error) {
    return fail(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(
        fmt::format("cannot access '{}': {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return fail("out of memory: run fewer jobs in parallel, for example with --jobs 1");
  } catch (const std::exception& error) {
    return fail(fmt::format("internal error ({})", error.what()),
                "This is a defect of fairway, not of the routes: please report it with a route "
                "file that reproduces it.");
  }
}

}  // namespace
}  // namespace fairway::cli

int main(int argc, char** argv) {
  // A caller may have ignored it: then no end of a process is ever reported.
  ::signal(SIGCHLD, SIG_DFL);
  return fairway::cli::run(std::vector<std::string>(argv + 1, argv + argc));
}
