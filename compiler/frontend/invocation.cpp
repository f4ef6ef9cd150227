#include "frontend/invocation.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace fairway::frontend {
namespace {

/// The parser ignores the name of the export, so that files that differ only in it share their
/// precompiled header.
bool names_export(const std::string& argument) {
  return argument.starts_with("-Dfairway_default_export=");
}

}  // namespace

std::string include_environment() {
  std::string all;
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) all.append(name).append("=").append(value).append("\n");
  }
  return all;
}

std::vector<std::string> command_line(const CompileFlags& flags, const std::string& source) {
  std::vector<std::string> command = {"clang++"};
  std::copy_if(flags.arguments.begin(), flags.arguments.end(), std::back_inserter(command),
               [](const std::string& argument) { return !names_export(argument); });
  command.insert(command.end(), {"-fsyntax-only", "-w", "-Wno-c++11-narrowing",
                                 "-DFAIRWAY_ROUTE_COMPILER=1", "-Ufairway_default_export",
                                 "-resource-dir=" + resource_directory(), "-x", "c++", source});
  return command;
}

void run_clang(const CompileFlags& flags, const std::string& source,
               const llvm::IntrusiveRefCntPtr<SourceFiles>& files,
               std::unique_ptr<clang::FrontendAction> action,
               clang::DiagnosticConsumer& diagnostics) {
  auto manager = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), files);
  clang::tooling::ToolInvocation invocation(command_line(flags, source), std::move(action),
                                            manager.get());
  invocation.setDiagnosticConsumer(&diagnostics);
  invocation.run();
}

std::string absolute(const std::string& directory, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path whole = fs::current_path(error) / directory / path;
  fs::path plain = whole.lexically_normal();
  const bool may_differ = std::find(whole.begin(), whole.end(), "..") != whole.end();
  if (!may_differ || fs::equivalent(plain, whole, error)) return plain.string();
  const fs::path real = fs::canonical(whole, error);
  return error ? plain.string() : real.string();
}

std::string shown_path(const std::string& directory, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path whole = absolute(directory, path);
  const fs::path relative = whole.lexically_relative(fs::current_path(error));
  return relative.empty() || *relative.begin() == ".." ? whole.string() : relative.string();
}

}  // namespace fairway::frontend
