// The middlewares of the mounted tables, which routes refer to by name.
#pragma once

#include <fairway/define_routes.hpp>
#include <fairway/route_table.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "exchange/environment.hpp"

namespace fw::detail {

class MiddlewareRegistry {
 public:
  explicit MiddlewareRegistry(const Environment& env) : env_(env) {}

  /// Appends an error for each file that exports no middleware.
  void add(std::span<const UnitRow> middlewares, std::vector<std::string>& errors);

  /// The middleware of a reference, made with its options. Throws std::invalid_argument when
  /// `config.middlewares` does not list it, no file has it, or its factory fails.
  Middleware make(const MiddlewareRef& reference) const;

 private:
  struct Entry {
    const MiddlewareDefinition* definition;
    std::string file;
  };

  /// Why `config.middlewares` may be empty, for messages; or nothing.
  std::string reason_for_empty_config() const;

  const Environment& env_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace fw::detail
