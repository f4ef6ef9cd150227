// The changes between two documents, the input of every renderer.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fairway::diff {

using Json = nlohmann::ordered_json;

enum class Level {
  breaking,      ///< a client that follows the old document can fail; of a list of metrics: a query
  non_breaking,  ///< such a client cannot fail
  documentation,  ///< requests and responses stay the same
};

std::string_view level_name(Level level);

enum class Side { before, after };

struct Change {
  std::string id;  ///< a row of the catalogue
  Level level = Level::breaking;
  std::string method;    ///< "POST"; empty for a change of the whole API
  std::string path;      ///< "/orders/{id}"; of the new document, if it has the operation
  std::string metric;    ///< "fairway_connections", for a change of a metric of a list
  std::string location;  ///< "request body: items[].price"; empty for the operation itself
  std::string pointer;   ///< JSON pointer into the document of `side`
  Side side = Side::after;
  std::string message;  ///< describes the old and the new state
  bool approved = false;
  std::string reason = {};  ///< why it was approved; may be empty

  /// "POST /orders/{id}", the name of a metric, or "API".
  std::string operation() const {
    if (!metric.empty()) return metric;
    return method.empty() ? "API" : method + ' ' + path;
  }
};

using Changes = std::vector<Change>;

}  // namespace fairway::diff
