// Options of the generated document.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "command/option_group.hpp"
#include "model/openapi_options.hpp"

namespace fairway::project {

struct DocumentOptions {
  std::optional<model::OpenApiVersion> openapi;
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

  void declare(command::Command& command);
  /// Only those that clients depend on.
  void declare_for_client(command::Command& command);
  /// Adds the options of fairway_add_app. Those that are set already take precedence.
  void complete(const DocumentOptions& add_app);
  /// Merges these options with the options of the configuration file; these take precedence. The
  /// title is empty if nothing sets one: see `set_default_title`. Adds the files that it reads to
  /// `read`. Throws UserError.
  model::OpenApiOptions resolved(std::vector<std::filesystem::path>* read = nullptr) const;
};

/// Sets an empty title to the name of the application, or to "API" if that is empty, too.
void set_default_title(model::OpenApiOptions& options, const std::string& application);

/// The identifier that is the name of the class and of the file of a client.
struct ClientNameOption {
  std::string name;

  void declare(const command::OptionGroup& group);
  /// The name, or one derived from the title of the API: "Orders API" gives "orders_api".
  std::string resolved(const std::string& title) const;
};

// add_app_arguments.cpp: What fairway_add_app passes to `fairway build`, for the other commands.

struct AddAppArguments {
  DocumentOptions document;
  ClientNameOption client_name;
  std::vector<std::string> middlewares;
  std::filesystem::path source_dir;  ///< empty if an older version has written the file
};

/// Reads the file that fairway_add_app stores in the directory of the generated files. Nothing is
/// set if there is none. Throws UserError.
AddAppArguments read_add_app_arguments(const std::filesystem::path& output_directory);

}  // namespace fairway::project
