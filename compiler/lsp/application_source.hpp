// What the language server knows about the application, and where it comes from.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "files/input.hpp"
#include "files/user_error.hpp"
#include "lsp/documents.hpp"
#include "model/application.hpp"
#include "model/diagnostic.hpp"
#include "model/openapi_options.hpp"
#include "model/parsed_file.hpp"

namespace fairway::lsp {

/// The application as the compiler sees it, with unsaved files.
struct Snapshot {
  /// Whether the text of the document is an input of the application.
  bool has_read(const Document& document) const {
    return inputs.contains(document.path.string()) || inputs.contains(document.real_path.string());
  }

  model::Application application;
  std::vector<model::ParsedFile> files;
  model::Diagnostics diagnostics;        ///< what `fairway doctor` would report
  std::set<std::string> inputs;          ///< absolute paths of what was read
  std::filesystem::path source_dir;      ///< absolute
  std::vector<std::string> middlewares;  ///< those that routes can refer to
  model::OpenApiOptions document_options;
  std::shared_ptr<const files::UnsavedFiles> unsaved;  ///< null if there are none
  std::filesystem::path diagnostics_page;              ///< with a heading for each id; may be empty
  std::string warning;  ///< what could not be read besides the application; may be empty
};

/// There is no application in the folder.
class NoApplication : public UserError {
  using UserError::UserError;
};

/// Reads the application in the working directory.
class ApplicationSource {
 public:
  virtual ~ApplicationSource() = default;
  /// `disk_has_changed`: whether files may have changed on disk since the last call. Throws
  /// UserError if the application cannot be read.
  virtual Snapshot read(const OpenFiles& open, bool disk_has_changed) = 0;
};

using MakeApplicationSource = std::function<std::unique_ptr<ApplicationSource>()>;

}  // namespace fairway::lsp
