// Reads, resolves and checks an application, which is the first step of every command.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diagnostics/progress.hpp"
#include "diagnostics/report.hpp"
#include "diagnostics/source_text.hpp"
#include "files/input.hpp"
#include "frontend/caching_parser.hpp"
#include "frontend/parse.hpp"
#include "model/json_names.hpp"
#include "project/document_options.hpp"
#include "project/project_options.hpp"
#include "project/settings.hpp"
#include "project/source_tree.hpp"
#include "rules/check.hpp"
#include "rules/lint_settings.hpp"

namespace fairway::project {

struct Project {
  model::Application application;         ///< complete if the report has no errors
  std::vector<model::ParsedFile> parsed;  ///< the files from which `application` was resolved
  diagnostics::Report report;
  std::vector<std::string> ignored_files;  ///< as in SourceTree
  std::set<std::string> dependencies;      ///< absolute paths of everything read
};

/// Reads one application. Throws UsageError and frontend::EnvironmentError.
class ProjectReader {
 public:
  /// Selects the flags if several applications have the same files: the flags of --name, or the
  /// first ones.
  enum class Flags { named, first };

  /// Finds the source files and their flags. `options` must outlive the reader.
  explicit ProjectReader(const ProjectOptions& options, Flags flags = Flags::named);

  /// A hash of all inputs of the application, if it is known without parsing.
  std::optional<std::uint64_t> digest() const;
  /// Reads the files in parallel and resolves them. Shows the progress in a terminal.
  Project read() const;

  // The steps of `read`, for a program that repeats them. `unsaved` may be null.

  using Unsaved = std::shared_ptr<const files::UnsavedFiles>;
  /// Finds the source files again, also those that are not on disk yet.
  void find_files(const Unsaved& unsaved);
  /// Parses some of the `files()` in parallel. `progress` may be null.
  std::vector<frontend::ParseResult> parse(const std::vector<std::string>& paths,
                                           const Unsaved& unsaved,
                                           diagnostics::Progress* progress = nullptr) const;
  /// The errors of a file and of its handlers, as the build of the program finds them. `unsaved`
  /// has the generated headers that it includes, see frontend::ParseJob.
  model::Diagnostics errors_of_build(const std::string& path, const Unsaved& unsaved) const;
  /// The second reading of a file, and the generated headers with which it was read; null: none.
  struct TypedFile {
    std::shared_ptr<const files::UnsavedFiles> headers;
    model::ParsedFile file;
  };
  /// By path below the source directory.
  using TypedFiles = std::map<std::string, TypedFile>;
  /// Resolves the results for all `files()`, which are in the same order. Files that use generated
  /// types are read again with these types, unless `typed` has the result for the same headers;
  /// the caller removes files that have changed from it.
  Project resolve(std::vector<model::ParsedFile> parsed, const Unsaved& unsaved,
                  TypedFiles& typed) const;

  /// The source files, below the source directory.
  const std::vector<std::string>& files() const { return sources_.files; }
  const SourceTree& sources() const { return sources_; }
  const std::filesystem::path& source_dir() const { return source_dir_; }
  const std::filesystem::path& cache_directory() const { return parser_.directory(); }
  /// The target of fairway_add_app whose flags are used; empty if the flags are not from CMake.
  std::string application_name() const { return flags_->application(); }
  /// What fairway_add_app passes to `fairway build` for that target; empty with `Flags::first`.
  const AddAppArguments& add_app_arguments() const { return add_app_arguments_; }
  /// The middlewares that the program registers itself.
  std::vector<std::string> middlewares() const;
  /// All that a configuration may list: also the files of middlewares/, and what the other
  /// applications of the build have, because a program may mount several.
  std::set<std::string> known_middlewares() const;
  /// How the names of members of a file's types become names in JSON.
  model::JsonNames json_names(const std::string& path) const;

 private:
  class EmittedHeaders;
  Project resolve_as_read(std::vector<model::ParsedFile> parsed, const Unsaved& unsaved,
                          EmittedHeaders& emitted) const;
  /// Of generated headers that the files include, but that no application of the build has.
  std::set<std::string> missing_headers(const std::vector<model::ParsedFile>& parsed) const;
  frontend::ParseJob job(const std::string& path, const Unsaved& unsaved = {}) const;
  std::vector<model::PageFile> read_pages(const Unsaved& unsaved = {}) const;

  const ProjectOptions& options_;
  std::filesystem::path source_dir_;
  SourceTree sources_;
  std::unique_ptr<frontend::FlagsProvider> flags_;
  AddAppArguments add_app_arguments_;
  mutable frontend::CachingParser parser_;  ///< thread-safe
};

/// Finds the source files, reads them in parallel and resolves them. Throws UsageError and
/// frontend::EnvironmentError.
Project read_project(const ProjectOptions& options);

/// The findings of [handler-does-not-compile] in the routes of the document, which may lack what
/// their handlers send. If some are suppressed, prints a note.
model::Diagnostics undocumented_handlers(const Project& project, const LintOptions& lints,
                                         const std::filesystem::path& source_dir);

/// Adds them to the report as errors, for commands whose product is the document or a client.
void require_handlers(Project& project, const std::filesystem::path& source_dir);

/// Adds the lints to the report, unless there are errors, because lints need resolved routes, and
/// removes those that comments in `sources` suppress.
void add_lints(Project& project, const model::AppSettings& settings,
               diagnostics::SourceText& sources);

// inspection.cpp: What `fairway doctor` finds.

/// The findings in all route files and in the files of config/ and locales/, sorted, with the
/// severities of the settings. Throws UserError if the project cannot be read.
diagnostics::Report inspect(const ProjectOptions& project_options, const LintOptions& lints,
                            const rules::LintSettings& settings);

}  // namespace fairway::project
