#include "frontend/parse.hpp"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <filesystem>

#include "frontend/compile_errors.hpp"
#include "frontend/default_export.hpp"
#include "frontend/factory.hpp"
#include "frontend/unit.hpp"

namespace fairway::frontend {
namespace {

namespace fs = std::filesystem;

constexpr llvm::StringLiteral kGeneratedSuffix = ".routes.hpp";

/// The file system without generated request types: they follow from the file that is being
/// resolved, and only handlers' bodies use them.
class WithoutGeneratedTypes : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    if (hidden(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::status(path);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
      const llvm::Twine& path) override {
    if (hidden(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::openFileForRead(path);
  }

 private:
  static bool hidden(const llvm::Twine& path) {
    return llvm::StringRef(path.str()).ends_with(kGeneratedSuffix);
  }
};

class IgnoreMissingTypes : public clang::PPCallbacks {
  bool FileNotFound(llvm::StringRef name) override { return name.ends_with(kGeneratedSuffix); }
};

/// One parse: what goes in and what comes out.
struct Parse {
  const ParseJob& job;
  model::ParsedFile& file;
  ErrorCollector errors;
  bool reached_the_end = false;
  std::string missing_header;
};

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(clang::CompilerInstance& compiler, Parse& parse) : compiler_(compiler), parse_(parse) {}

  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    return !compiler_.getSourceManager().isInMainFile(
        compiler_.getSourceManager().getExpansionLoc(declaration->getLocation()));
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    parse_.reached_the_end = true;
    const auto& sources = compiler_.getSourceManager();
    parse_.missing_header = missing_system_header(sources, parse_.errors.errors());
    if (!parse_.missing_header.empty()) return;
    Unit unit{context, compiler_.getSema(), parse_.errors,
              Locations(sources, compiler_.getLangOpts(), parse_.job.flags.directory), parse_.file};
    read_factory(unit, find_factory(unit));
    auto& diagnostics = parse_.file.diagnostics;
    const std::size_t own = diagnostics.size();
    report_compile_errors(unit, parse_.errors.errors());
    // A file that does not parse has no export that could be found: one fault, one report.
    if (diagnostics.size() > own && own == 1 && diagnostics.front().id == "no-default-export") {
      diagnostics.erase(diagnostics.begin());
    }
  }

 private:
  clang::CompilerInstance& compiler_;
  Parse& parse_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(Parse& parse)
      : parse_(parse), dependencies_(std::make_shared<clang::DependencyCollector>()) {}

  /// Pending instantiations at the end of the file are of no interest.
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

 private:
  bool PrepareToExecuteAction(clang::CompilerInstance& compiler) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    compiler.getDiagnosticOpts().ErrorLimit = 0;
    compiler.getDiagnosticOpts().ShowCarets = false;  // else it prints a summary of its own
    compiler.getDiagnostics().setErrorLimit(0);
    compiler.addDependencyCollector(dependencies_);
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<IgnoreMissingTypes>());
    return std::make_unique<Consumer>(compiler, parse_);
  }

  void EndSourceFileAction() override {
    std::error_code fault;
    const fs::path start = fs::current_path(fault) / parse_.job.flags.directory;
    for (const std::string& path : dependencies_->getDependencies()) {
      if (llvm::StringRef(path).ends_with(kGeneratedSuffix)) continue;  // not there, not read
      parse_.file.dependencies.push_back((start / path).lexically_normal().string());
    }
  }

  Parse& parse_;
  std::shared_ptr<clang::DependencyCollector> dependencies_;  ///< without the system's headers
};

std::vector<std::string> command_line(const ParseJob& job, const std::string& source) {
  std::vector<std::string> command = {"clang++"};
  command.insert(command.end(), job.flags.arguments.begin(), job.flags.arguments.end());
  command.insert(command.end(),
                 {"-fsyntax-only", "-w", "-DFAIRWAY_ROUTE_COMPILER=1", "-UFAIRWAY_EXPORT_NAME",
                  "-resource-dir=" FAIRWAY_CLANG_RESOURCE_DIR, "-x", "c++", source});
  return command;
}

}  // namespace

model::ParsedFile parse_file(const ParseJob& job) {
  std::error_code fault;
  const fs::path source =
      fs::absolute(fs::path(job.source_dir) / job.path, fault).lexically_normal();
  const fs::path shown = source.lexically_relative(fs::current_path(fault));

  model::ParsedFile file;
  file.path = job.path;
  file.display_path = shown.empty() || *shown.begin() == ".." ? source.string() : shown.string();

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> real = llvm::vfs::createPhysicalFileSystem();
  auto visible = llvm::makeIntrusiveRefCnt<WithoutGeneratedTypes>(real);
  if (!job.flags.directory.empty()) visible->setCurrentWorkingDirectory(job.flags.directory);
  auto files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), visible);

  Parse parse{.job = job, .file = file, .errors = {}, .missing_header = {}};
  clang::tooling::ToolInvocation invocation(command_line(job, source.string()),
                                            std::make_unique<Action>(parse), files.get());
  invocation.setDiagnosticConsumer(&parse.errors);
  invocation.run();
  if (!parse.missing_header.empty()) {
    throw EnvironmentError(fmt::format(
        "the compiler's own headers are incomplete ({}): install the headers of Clang {} "
        "(Debian: libclang-common-{}-dev) and of the C++ standard library",
        parse.missing_header, CLANG_VERSION_MAJOR, CLANG_VERSION_MAJOR));
  }
  if (!parse.reached_the_end || !parse.errors.about_flags().empty()) {
    throw EnvironmentError(fmt::format("clang cannot compile '{}' with these flags{}{}",
                                       file.display_path,
                                       parse.errors.about_flags().empty() ? "" : ": ",
                                       fmt::join(parse.errors.about_flags(), "; ")));
  }
  std::sort(file.dependencies.begin(), file.dependencies.end());
  return file;
}

}  // namespace fairway::frontend
