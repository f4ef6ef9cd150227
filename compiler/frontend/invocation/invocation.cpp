#include "frontend/invocation/invocation.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/thread.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>
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

/// Warnings of GCC that Clang reports as errors: `-w` leaves them errors.
constexpr const char* kAccepted[] = {"-Wno-c++11-narrowing",
                                     "-Wno-delegating-ctor-cycles",
                                     "-Wno-enum-constexpr-conversion",
                                     "-Wno-invalid-partial-specialization",
                                     "-Wno-missing-template-arg-list-after-template-kw",
                                     "-Wno-non-pod-varargs",
                                     "-Wno-register",
                                     "-Wno-reserved-user-defined-literal"};

std::vector<std::string> command_line(const CompileFlags& flags, const std::string& source) {
  std::vector<std::string> command = {"clang++"};
  std::copy_if(flags.arguments.begin(), flags.arguments.end(), std::back_inserter(command),
               [](const std::string& argument) { return !names_export(argument); });
  command.insert(command.end(), {"-fsyntax-only", "-w"});
  command.insert(command.end(), std::begin(kAccepted), std::end(kAccepted));
  command.insert(command.end(), {"-DFAIRWAY_ROUTE_COMPILER=1", "-Ufairway_default_export",
                                 "-resource-dir=" + resource_directory(), "-x", "c++", source});
  return command;
}

/// For long and deep files: the walks over Clang's trees need more stack than Clang itself, which
/// makes a thread of this size when it needs one.
constexpr unsigned kStackSize = 64U << 20U;

void run_clang(const CompileFlags& flags, const std::string& source,
               const llvm::IntrusiveRefCntPtr<SourceFiles>& files,
               std::unique_ptr<clang::FrontendAction> action,
               clang::DiagnosticConsumer& diagnostics) {
  auto manager = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), files);
  clang::tooling::ToolInvocation invocation(command_line(flags, source), std::move(action),
                                            manager.get());
  invocation.setDiagnosticConsumer(&diagnostics);
  std::exception_ptr error;
  llvm::thread(std::optional(kStackSize), [&] {
    try {
      invocation.run();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
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
