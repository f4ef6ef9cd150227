// The middlewares of the mounted tables, which routes refer to by name.
#pragma once

#include <fairway/define_routes.hpp>
#include <fairway/generated/route_table.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "exchange/environment.hpp"

namespace fw::detail {

class MiddlewareRegistry {
 public:
  explicit MiddlewareRegistry(const Environment& env) : env_(env) {}

  /// Appends an error for each file that does not export a middleware.
  void add(std::span<const ComponentRow> middlewares, std::vector<std::string>& errors);

  /// Creates the middleware of a reference with its options. Throws std::invalid_argument if
  /// `config.middlewares` does not list it, no file has it, or its factory fails.
  Middleware make(const MiddlewareRef& reference) const;

 private:
  struct Entry {
    const MiddlewareDefinition* definition;
    std::string file;
  };

  /// The possible reason why `config.middlewares` does not list a name, for messages.
  std::string reason_for_missing(const std::string& name) const;
  std::string reason_for_empty_config() const;
  /// " (the program has 'a' and 'b')"
  std::string known_names() const;

  const Environment& env_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace fw::detail
