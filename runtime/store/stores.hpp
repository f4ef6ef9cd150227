// The store of each feature: one that the application set, or one that the configuration describes.
#pragma once

#include <fairway/config.hpp>
#include <fairway/store.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fw::detail {

/// Set up on one thread, constant afterwards.
class Stores {
 public:
  /// Names a feature: "cache", "rate-limit" or "session". Throws std::invalid_argument for another
  /// name and for null.
  void set(std::string_view feature, std::shared_ptr<Store> store);
  /// Makes the stores that have not been set. Appends to `errors` what the configuration of one has
  /// against it.
  void open(const Config& config, std::vector<std::string>& errors);

  /// The store of a feature, once `open` has succeeded. Its keys begin with the feature's name and
  /// a colon: features may have one store.
  const std::shared_ptr<Store>& of(std::string_view feature) const;

  /// The features that are enabled for all routes and whose state each process has for itself, once
  /// `open` has succeeded.
  std::vector<std::string_view> unshared(const Config& config) const;

 private:
  std::map<std::string, std::shared_ptr<Store>, std::less<>> stores_;
};

}  // namespace fw::detail
