#include "frontend/parse.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>
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

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(clang::CompilerInstance& compiler, ErrorCollector& errors, model::ParsedFile& file)
      : compiler_(compiler), errors_(errors), file_(file) {}

  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    return !compiler_.getSourceManager().isInMainFile(
        compiler_.getSourceManager().getExpansionLoc(declaration->getLocation()));
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    Unit unit{context, Locations(compiler_.getSourceManager(), compiler_.getLangOpts()), file_};
    read_factory(unit, find_factory(unit));
    const std::size_t own = file_.diagnostics.size();
    report_compile_errors(unit, errors_.errors());
    // A file that does not parse has no export that could be found: one fault, one report.
    if (file_.diagnostics.size() > own && own == 1 &&
        file_.diagnostics.front().id == "no-default-export") {
      file_.diagnostics.erase(file_.diagnostics.begin());
    }
  }

 private:
  clang::CompilerInstance& compiler_;
  ErrorCollector& errors_;
  model::ParsedFile& file_;
};

class Action : public clang::ASTFrontendAction {
 public:
  Action(ErrorCollector& errors, model::ParsedFile& file)
      : errors_(errors), file_(file), dependencies_(std::make_shared<Dependencies>()) {}

  /// Pending instantiations at the end of the file are of no interest.
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

 private:
  /// Everything that is read, except what belongs to the system.
  class Dependencies : public clang::DependencyCollector {};

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
    return std::make_unique<Consumer>(compiler, errors_, file_);
  }

  void EndSourceFileAction() override {
    for (const std::string& path : dependencies_->getDependencies()) {
      std::error_code fault;
      file_.dependencies.push_back(fs::absolute(path, fault).lexically_normal().string());
    }
  }

  ErrorCollector& errors_;
  model::ParsedFile& file_;
  std::shared_ptr<Dependencies> dependencies_;
};

std::vector<std::string> command_line(const ParseJob& job, const std::string& source) {
  std::vector<std::string> command = {"clang++"};
  command.insert(command.end(), job.flags.arguments.begin(), job.flags.arguments.end());
  command.insert(command.end(), {"-fsyntax-only", "-w", "-DFAIRWAY_ROUTE_COMPILER=1",
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

  ErrorCollector errors;
  clang::tooling::ToolInvocation invocation(command_line(job, source.string()),
                                            std::make_unique<Action>(errors, file), files.get());
  invocation.setDiagnosticConsumer(&errors);
  const bool ran = invocation.run();
  if (!ran && file.diagnostics.empty() && file.export_kind == model::ExportKind::none) {
    // The driver gave up before there was a translation unit.
    std::string text = "clang cannot compile '" + file.display_path + "'";
    for (const auto& error : errors.errors()) text += ": " + error.message.text;
    throw EnvironmentError(text);
  }
  std::sort(file.dependencies.begin(), file.dependencies.end());
  return file;
}

}  // namespace fairway::frontend
