// Hides secrets in log fields (`logger.redactKeys`, `redactPaths`, `redactValue`).
#pragma once

#include <fairway/config.hpp>
#include <fairway/json.hpp>

#include <string>
#include <vector>

namespace fw::detail {

/// Immutable and thread-safe.
class Redaction {
 public:
  explicit Redaction(const LoggerConfig& config);

  /// Whether anything is configured; otherwise a writer can skip the copy.
  bool active() const { return !keys_.empty() || !paths_.empty(); }
  /// Replaces the values of configured keys (case-insensitive, at any depth) and at configured
  /// paths such as "user.password", in which `*` matches any name or index.
  void apply(Json& fields) const;

 private:
  std::vector<std::string> keys_;
  std::vector<std::vector<std::string>> paths_;
  std::string value_;
};

}  // namespace fw::detail
