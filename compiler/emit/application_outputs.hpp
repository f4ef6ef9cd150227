// The files that a build produces from an application: the list of all outputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/application.hpp"
#include "model/openapi_options.hpp"

namespace fairway::emit {

struct OutputOptions {
  std::filesystem::path directory;
  model::OpenApiOptions document;
  std::string client_name;             ///< the name of the class and the file of clients: "orders"
  std::filesystem::path openapi_file;  ///< an additional file for the document; may be empty
  /// Additional files for clients, by the name of the language; may be empty.
  std::map<std::string, std::filesystem::path, std::less<>> client_files;
  bool has_docs_viewer = false;  ///< whether the program contains the viewer of the document
  /// Whether additional files that exist keep their content, because the application is incomplete.
  bool keeps_copies = false;
  bool in_parallel = false;
};

/// Makes the folders of the headers for the route files in `paths`. Clang looks for them while it
/// reads the files: if they were made afterwards, the results of all files would be out of date.
void make_header_folders(const std::filesystem::path& directory,
                         const std::vector<std::string>& paths);

/// Writes all outputs of an application without errors. Returns the `files::content_hash` of each
/// file. Removes files of `earlier`, the outputs of the last build, that were not written again.
std::map<std::filesystem::path, std::uint64_t> write_outputs(
    const model::Application& application, const OutputOptions& options,
    const std::vector<std::filesystem::path>& earlier);

/// Writes files below one directory, atomically and only if their content has changed, so that
/// nothing is rebuilt without need. Throws UserError with the name of the file.
class OutputFiles {
 public:
  explicit OutputFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// `path` is relative to the directory.
  void write(const std::filesystem::path& path, const std::string& content);
  /// The same, unless the file exists.
  void write_missing(const std::filesystem::path& path, const std::string& content);
  /// Removes the files below `folder` with this ending that this run did not write.
  void remove_stale(const std::filesystem::path& folder, const std::string& ending) const;
  /// Removes the files of `files` that are in the directory and that this run did not write.
  void remove_stale(const std::vector<std::filesystem::path>& files) const;
  /// All files of this run, including unchanged ones, with the `files::content_hash` of what was
  /// written: another process may have replaced a file since.
  std::map<std::filesystem::path, std::uint64_t> contents() const;

 private:
  std::filesystem::path directory_;
  std::map<std::filesystem::path, std::uint64_t> written_;
};

}  // namespace fairway::emit
