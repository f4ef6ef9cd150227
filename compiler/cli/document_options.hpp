// Options of the generated document.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "emit/openapi.hpp"

namespace fairway::cli {

enum class DocumentFormat { json, yaml };

struct DocumentOptions {
  emit::OpenApiVersion openapi = emit::OpenApiVersion::v3_1;
  std::filesystem::path app_config;
  std::optional<std::string> title;
  std::optional<std::string> default_title;
  std::optional<std::string> api_version;
  std::optional<std::string> default_api_version;
  std::optional<std::string> description;
  std::optional<std::string> license;
  std::vector<std::string> servers;
  std::vector<std::string> guard_security;
  bool no_envelope = false;

  void declare(Command& command);
  /// Merges these options with those of the configuration file; these take precedence. Throws
  /// UserError.
  emit::OpenApiOptions resolved() const;
};

/// YAML for names that end in .yaml or .yml, otherwise JSON.
DocumentFormat format_of(const std::filesystem::path& file);

/// The content of a file.
std::string document_text(const model::Json& document, DocumentFormat format);

// client_name.cpp: The identifier that is the name of the class and of the file of a client.

struct ClientNameOption {
  std::string name;

  void declare(const OptionGroup& group);
  /// The name, or one derived from the title of the API: "Orders API" gives "orders_api".
  std::string resolved(const std::string& title) const;
};

}  // namespace fairway::cli
