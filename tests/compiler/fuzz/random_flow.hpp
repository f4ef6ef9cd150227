// Handlers made at random that set statuses and media types and send in branches, loops, lambdas
// and functions.
#pragma once

#include <random>
#include <set>
#include <string>
#include <tuple>

namespace fairway::fuzz {

/// Statuses, types and media types of JSON; the usual media type is empty.
using SentBodies = std::set<std::tuple<int, std::string, std::string>>;

struct RandomFlow {
  std::string functions = {};  ///< that the handler calls
  std::string body = {};       ///< of a handler that has `res`; it uses `kFlowDeclarations`
  SentBodies sent = {};        ///< all that it can send
  /// Whether it sends nothing else. Otherwise a lambda is stored, which may be called at any time,
  /// or a value may be no enumerator.
  bool is_exact = true;
};

/// What the bodies of flows use.
extern const char* const kFlowDeclarations;

/// `name` begins the names of its functions. It sends values of the types `data` and `other`.
RandomFlow random_flow(const std::string& name, const std::string& data, const std::string& other,
                       std::mt19937_64& random);

}  // namespace fairway::fuzz
