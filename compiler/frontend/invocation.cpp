#include "frontend/invocation.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "frontend/resource_directory.hpp"

namespace fairway::frontend {
namespace {

/// The export has one name in a parse, so that files which differ in that definition alone share
/// their precompiled header.
bool names_export(const std::string& argument) {
  return argument.starts_with("-Dfairway_default_export=");
}

}  // namespace

std::vector<std::string> command_line(const CompileFlags& flags, const std::string& source) {
  std::vector<std::string> command = {"clang++"};
  std::copy_if(flags.arguments.begin(), flags.arguments.end(), std::back_inserter(command),
               [](const std::string& argument) { return !names_export(argument); });
  command.insert(command.end(),
                 {"-fsyntax-only", "-w", "-DFAIRWAY_ROUTE_COMPILER=1", "-Ufairway_default_export",
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

std::string absolute(const CompileFlags& flags, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code fault;
  return (fs::current_path(fault) / flags.directory / path).lexically_normal().string();
}

}  // namespace fairway::frontend
