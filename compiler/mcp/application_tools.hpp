// The tools that read the application, which run in a process of their own, and what they read.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "files/user_error.hpp"
#include "rpc/json_rpc.hpp"

namespace fairway::mcp {

using rpc::Json;

/// The routes have errors, which the tool `diagnostics` lists.
class ErrorsInRoutes : public UserError {
  using UserError::UserError;
};

/// Reads the application in the working directory, each time from the disk: files may have changed.
/// Throws UserError if it cannot be read.
class ToolSource {
 public:
  virtual ~ToolSource() = default;
  /// What `fairway doctor --diagnostics-format json` prints.
  virtual Json diagnostics() = 0;
  /// What `fairway routes --format json` prints. Throws ErrorsInRoutes.
  virtual Json routes() = 0;
  /// What `fairway openapi` prints. Throws ErrorsInRoutes.
  virtual Json document() = 0;
};

using MakeToolSource = std::function<std::unique_ptr<ToolSource>()>;

/// Checks the method and the path of `call`. Its result is an error result, or null.
inline constexpr const char* kCheckCall = "fairway/checkCall";

class ApplicationTools {
 public:
  explicit ApplicationTools(ToolSource& source) : source_(source) {}

  /// Runs a tool with valid arguments. An error of the application is an error result.
  Json run(const std::string& tool, const Json& arguments);

 private:
  Json routes(const Json& arguments);
  Json diagnostics(const Json& arguments);
  Json openapi(const Json& arguments);
  Json check_call(const Json& arguments);

  ToolSource& source_;
  Json last_routes_;  ///< the last ones without errors; null at first
};

}  // namespace fairway::mcp
