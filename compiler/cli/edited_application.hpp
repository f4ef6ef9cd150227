// Reads an application again and again while it is edited, for the language server.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lsp/application_source.hpp"
#include "project/project.hpp"
#include "project/settings.hpp"

namespace fairway::cli {

/// Reads the application like `fairway doctor`, but parses again only files that depend on what has
/// changed in an editor.
class EditedApplication : public lsp::ApplicationSource {
 public:
  /// The options must outlive the object.
  EditedApplication(const project::ProjectOptions& project, const project::LintOptions& lints)
      : project_(project), lints_(lints) {}

  lsp::Snapshot read(const lsp::OpenFiles& open, bool disk_has_changed) override;

 private:
  using Unsaved = std::shared_ptr<const files::UnsavedFiles>;

  /// A source file, and the files that it depends on by their normalized paths: those that were
  /// read, and negative lookups.
  struct Parsed {
    model::ParsedFile file;
    files::Inputs inputs;
  };

  lsp::Snapshot read_with(const Unsaved& unsaved);
  void read_disk();
  void read_settings();
  /// Whether a file on disk is not as it was read, although no change was reported.
  bool disk_differs(const lsp::OpenFiles& open) const;
  /// Parses the files that depend on a difference between `unsaved` and the last call.
  void parse_changes(const Unsaved& unsaved);
  bool depends(const Parsed& parsed, const std::string& changed) const;
  void parse(const std::vector<std::string>& paths, const Unsaved& unsaved);
  /// Notes symbolic links among the paths of inputs.
  void find_links(const std::string& path);
  /// The unsaved files, also by the links through which the application reads them.
  Unsaved with_links(const Unsaved& unsaved) const;
  std::set<std::string> inputs(const project::Project& project) const;
  std::vector<std::string> middlewares() const;

  const project::ProjectOptions& project_;
  const project::LintOptions& lints_;
  std::optional<project::ProjectReader> reader_;  ///< empty if the application could not be read
  rules::LintSettings settings_;                  ///< the last ones that could be read
  model::OpenApiOptions document_options_;
  std::string settings_error_;
  std::map<std::string, Parsed> parsed_;           ///< by path below the source directory
  project::ProjectReader::TypedFiles typed_;       ///< which use generated types
  files::Inputs on_disk_;                          ///< of all files, when they were read from disk
  Unsaved unsaved_;                                ///< with which they were parsed
  std::set<std::string> seen_paths_;               ///< those that `find_links` has seen
  std::multimap<std::string, std::string> links_;  ///< paths of inputs, by the path without links
};

}  // namespace fairway::cli
