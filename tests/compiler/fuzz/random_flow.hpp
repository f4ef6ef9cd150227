// Handlers made at random that set statuses and send in branches, loops, lambdas and functions.
#pragma once

#include <random>
#include <set>
#include <string>
#include <utility>

namespace fairway::fuzz {

struct RandomFlow {
  std::string functions = {};  ///< that the handler calls
  std::string body = {};       ///< of a handler that has `res`; it calls `flag()` and `count()`
  /// The statuses with the types of what it sends, found by running it.
  std::set<std::pair<int, std::string>> sent = {};
  /// Whether it sends nothing else. Otherwise a lambda is stored, which may be called at any time.
  bool is_exact = true;
};

/// `name` begins the names of its functions. It sends values of the types `data` and `other`.
RandomFlow random_flow(const std::string& name, const std::string& data, const std::string& other,
                       std::mt19937_64& random);

}  // namespace fairway::fuzz
