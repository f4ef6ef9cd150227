// What the language server knows about the application, and where it comes from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emit/openapi.hpp"
#include "files/input.hpp"
#include "model/application.hpp"
#include "model/diagnostic.hpp"
#include "model/parsed_file.hpp"

namespace fairway::lsp {

/// The application as the compiler sees it, with unsaved files.
struct Snapshot {
  model::Application application;
  std::vector<model::ParsedFile> files;
  model::Diagnostics diagnostics;        ///< what `fairway doctor` would report
  std::filesystem::path source_dir;      ///< absolute
  std::vector<std::string> middlewares;  ///< those that routes can refer to
  emit::OpenApiOptions document_options;
  std::shared_ptr<const files::UnsavedFiles> unsaved;  ///< null if there are none
};

/// Reads the application in the working directory.
class ApplicationSource {
 public:
  virtual ~ApplicationSource() = default;
  /// `disk_has_changed`: whether files may have changed on disk since the last call. Throws
  /// UserError if the application cannot be read.
  virtual Snapshot read(std::shared_ptr<const files::UnsavedFiles> unsaved,
                        bool disk_has_changed) = 0;
};

}  // namespace fairway::lsp
