#include <clang/Tooling/CompilationDatabase.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "frontend/parse.hpp"

namespace fairway::frontend {
namespace {

/// Flags that only GCC knows, or that make no sense for a parse.
constexpr std::array<std::string_view, 14> kDropped = {"-c",
                                                       "-fconcepts",
                                                       "-fno-gnu-unique",
                                                       "-fmodules-ts",
                                                       "-fno-canonical-system-headers",
                                                       "-fcoroutines",
                                                       "-fno-semantic-interposition",
                                                       "-fipa-pta",
                                                       "-fno-tree-vectorize",
                                                       "-freg-struct-return",
                                                       "-Winvalid-pch",
                                                       "-MD",
                                                       "-MMD",
                                                       "-pipe"};
constexpr std::array<std::string_view, 5> kDroppedWithValue = {"-o", "-MF", "-MT", "-MQ", "-x"};
constexpr std::array<std::string_view, 5> kDroppedPrefixes = {
    "-fmodule-mapper=", "-fdeps-format=", "-fsanitize", "-fno-sanitize", "-W"};

bool contains(const auto& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::vector<std::string> usable(const std::vector<std::string>& arguments) {
  std::vector<std::string> kept;
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::string& argument = arguments[index];
    if (argument.empty() || contains(kDropped, argument)) continue;
    if (contains(kDroppedWithValue, argument)) {
      ++index;
      continue;
    }
    // A precompiled header of another compiler is of no use here.
    if (argument == "-include" && index + 1 < arguments.size() &&
        arguments[index + 1].find("cmake_pch") != std::string::npos) {
      ++index;
      continue;
    }
    const bool dropped =
        std::any_of(kDroppedPrefixes.begin(), kDroppedPrefixes.end(),
                    [&](std::string_view prefix) { return argument.starts_with(prefix); });
    if (!dropped) kept.push_back(argument);
  }
  return kept;
}

class FixedFlags : public FlagsProvider {
 public:
  FixedFlags(std::vector<std::string> arguments, std::string directory)
      : flags_{usable(arguments), std::move(directory)} {}
  CompileFlags flags_for(const std::string&) const override { return flags_; }

 private:
  CompileFlags flags_;
};

class DatabaseFlags : public FlagsProvider {
 public:
  explicit DatabaseFlags(std::unique_ptr<clang::tooling::CompilationDatabase> database)
      : database_(std::move(database)) {}

  CompileFlags flags_for(const std::string& absolute_path) const override {
    const auto commands = database_->getCompileCommands(absolute_path);
    if (commands.empty()) {
      throw EnvironmentError("the compilation database has no command for '" + absolute_path +
                             "' or a file beside it");
    }
    const auto& command = commands.front();
    std::vector<std::string> arguments;
    for (std::size_t index = 1; index < command.CommandLine.size(); ++index) {
      const std::string& argument = command.CommandLine[index];
      if (argument == "--") break;
      if (argument != command.Filename && argument != absolute_path) arguments.push_back(argument);
    }
    return {usable(arguments), command.Directory};
  }

 private:
  std::unique_ptr<clang::tooling::CompilationDatabase> database_;
};

}  // namespace

std::unique_ptr<FlagsProvider> flags_from_database(const std::string& build_dir) {
  std::string fault;
  auto database = clang::tooling::CompilationDatabase::loadFromDirectory(build_dir, fault);
  if (database == nullptr) {
    throw EnvironmentError(fmt::format(
        "no compilation database in '{}': configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        build_dir));
  }
  return std::make_unique<DatabaseFlags>(std::move(database));
}

std::unique_ptr<FlagsProvider> fixed_flags(std::vector<std::string> arguments,
                                           std::string directory) {
  return std::make_unique<FixedFlags>(std::move(arguments), std::move(directory));
}

}  // namespace fairway::frontend
