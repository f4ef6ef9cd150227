// Controls which operations a client sees in the served document and the viewer (docs/viewer.md).
#pragma once

#include <fairway/json_type.hpp>

#include <functional>
#include <string>
#include <vector>

namespace fw {

class Request;

/// What a client sees of an operation in the documentation. It does not protect the route.
struct DocsVisibility {
  bool visible = true;     ///< whether the document contains the operation
  bool try_it_out = true;  ///< whether the viewer offers to send a request
};

/// What is shown or hidden: an operation; more kinds may follow.
enum class DocsKind { operation };

/// The operation that a resolver decides about. Owned by the application; does not change while it
/// serves requests.
struct DocsDescriptor {
  DocsKind kind = DocsKind::operation;  ///< always `operation`
  Json access = {};                     ///< `docs.access` of the route; null when it declares none
  std::string method = {};              ///< upper case
  std::string path = {};                ///< as documented: "/users/{id}"
  std::string operation_id = {};        ///< empty for an operation that a hook added without one
  std::vector<std::string> tags = {};   ///< of the operation
  std::vector<std::string> middlewares = {};  ///< names, in the route's order
  /// `visible` and `tryItOut` of an `access` object, which apply if there is no resolver.
  DocsVisibility declared = {};
};

/// Called once for each operation whenever the document is requested, concurrently for concurrent
/// requests. If it throws, the operation is hidden and the error is logged.
using DocsAccessResolver = std::function<DocsVisibility(Request&, const DocsDescriptor&)>;

}  // namespace fw
