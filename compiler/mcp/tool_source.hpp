// What the tools show of an application, and where it comes from.
#pragma once

#include <functional>
#include <memory>

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

}  // namespace fairway::mcp
