// Hides secrets in log fields (`logger.redactKeys`, `redactPaths`, `redactValue`).
#pragma once

#include <fairway/config.hpp>
#include <fairway/json.hpp>

#include <string>
#include <vector>

namespace fw::detail {

/// Immutable: thread-safe.
class Redaction {
 public:
  explicit Redaction(const LoggerConfig& config);

  /// Whether anything is configured: lets a writer skip the copy.
  bool active() const { return !keys_.empty() || !paths_.empty(); }
  /// Replaces the values under a configured key, at any depth and in any case, and those at a
  /// configured path: "user.password", where `*` stands for any one name or index.
  void apply(Json& fields) const;

 private:
  std::vector<std::string> keys_;
  std::vector<std::vector<std::string>> paths_;
  std::string value_;
};

}  // namespace fw::detail
