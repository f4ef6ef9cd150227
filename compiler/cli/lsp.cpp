// fairway lsp: the language server.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>

#include "check/file_rules.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/project.hpp"
#include "cli/settings.hpp"
#include "diagnostics/report.hpp"
#include "lsp/server.hpp"

namespace fairway::cli {
namespace {

struct LspOptions {
  ProjectOptions project;
  LintOptions lints;
};

/// Reads the application like `fairway doctor`, but parses again only files that depend on what has
/// changed in an editor.
class EditedApplication : public lsp::ApplicationSource {
 public:
  explicit EditedApplication(const LspOptions& options) : options_(options) {}

  lsp::Snapshot read(std::shared_ptr<const files::UnsavedFiles> unsaved,
                     bool disk_has_changed) override {
    if (disk_has_changed || !is_read_) {
      is_read_ = false;  // if an exception follows, everything is read again next time
      reader_.emplace(options_.project);
      settings_ = options_.lints.settings(options_.project.source_dir);
      document_options_ = options_.lints.document_options();
      parsed_ = reader_->parse(reader_->files(), nullptr);
      unsaved_ = nullptr;
      is_read_ = true;
    }
    parse_changes(unsaved);
    Project project = reader_->resolve(parsed_, unsaved);
    lsp::EditedSourceText sources(unsaved);
    add_lints(project, document_options_.settings, sources);
    settings_.apply(project.report.diagnostics);
    diagnostics::sort_diagnostics(project.report.diagnostics);
    return {.application = std::move(project.application),
            .files = std::move(project.parsed),
            .diagnostics = std::move(project.report.diagnostics),
            .source_dir = reader_->source_dir(),
            .middlewares = middlewares(),
            .document_options = document_options_,
            .unsaved = std::move(unsaved)};
  }

 private:
  /// Parses the files that depend on a difference between `unsaved` and the last call.
  void parse_changes(const std::shared_ptr<const files::UnsavedFiles>& unsaved) {
    const files::UnsavedFiles none;
    const files::UnsavedFiles& before = unsaved_ == nullptr ? none : *unsaved_;
    const files::UnsavedFiles& now = unsaved == nullptr ? none : *unsaved;
    files::UnsavedFiles changes;
    std::ranges::set_symmetric_difference(before, now, std::inserter(changes, changes.end()));
    std::vector<std::string> paths;
    std::vector<std::size_t> indices;
    for (std::size_t index = 0; index < parsed_.size(); ++index) {
      const std::string& path = reader_->files()[index];
      const auto& dependencies = parsed_[index].dependencies;
      const bool depends = changes.contains((reader_->source_dir() / path).string()) ||
                           std::ranges::any_of(dependencies, [&](const std::string& each) {
                             return changes.contains(each);
                           });
      if (!depends) continue;
      paths.push_back(path);
      indices.push_back(index);
    }
    std::vector<model::ParsedFile> parsed = reader_->parse(paths, unsaved);
    for (std::size_t index = 0; index < indices.size(); ++index) {
      parsed_[indices[index]] = std::move(parsed[index]);
    }
    unsaved_ = unsaved;
  }

  std::vector<std::string> middlewares() const {
    const std::vector<std::string> registered = reader_->middlewares();
    std::set<std::string> names(registered.begin(), registered.end());
    for (const model::ParsedFile& file : parsed_) {
      if (check::role_of(file.path) == check::FileRole::middleware) {
        names.insert(check::unit_name(file.path));
      }
    }
    return {names.begin(), names.end()};
  }

  const LspOptions& options_;
  bool is_read_ = false;
  std::optional<ProjectReader> reader_;
  check::LintSettings settings_;
  emit::OpenApiOptions document_options_;
  std::vector<model::ParsedFile> parsed_;               ///< in the order of the reader's files
  std::shared_ptr<const files::UnsavedFiles> unsaved_;  ///< with which they were parsed
};

}  // namespace

void declare_lsp(Command& command) {
  const auto options = std::make_shared<LspOptions>();
  command.synopsis = "[options] [-- FLAGS]";
  command.description =
      "Runs a language server on standard input and output, for editors. While files are edited, "
      "reports the same errors and warnings as 'fairway doctor', with fixes. Provides hover, "
      "definitions, "
      "completion and symbols of routes. Relative paths are relative to the folder that the editor "
      "has opened.";
  command.examples = {{"fairway lsp",
                       "serve an editor, with the flags of the nearest build "
                       "directory"},
                      {"fairway lsp -p build/dev", "use the flags of another build directory"}};
  command.clean = "the editor has ended the session";
  command.findings = "the input ended, or the editor exited, without a shutdown request";
  options->project.declare(command);
  options->lints.declare(command.group("Rules"));
  options->project.declare_jobs(command.group("Performance"));
  command.run = [options](std::span<const std::string>) {
    EditedApplication application(*options);
    lsp::Server server(STDIN_FILENO, STDOUT_FILENO, application, FAIRWAY_VERSION);
    return server.run();
  };
}

}  // namespace fairway::cli
