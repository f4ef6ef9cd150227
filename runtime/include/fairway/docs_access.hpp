// Who sees which operation in the served document and the viewer (reference: `docs.access`,
// `openapi.docs.access.resolver`; contract in docs/viewer.md).
#pragma once

#include <fairway/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace fw {

class Request;

/// What a request may see of an operation. Documentation only: it protects nothing at run time.
struct DocsVisibility {
  bool visible = true;
  bool try_it_out = true;  ///< whether the viewer offers to send a request
};

enum class DocsKind { operation };

/// What a resolver judges. Belongs to the application; constant while it serves.
struct DocsDescriptor {
  DocsKind kind = DocsKind::operation;
  Json access = {};               ///< `docs.access` of the route; null when it declares none
  std::string method = {};        ///< upper case
  std::string path = {};          ///< as documented: "/users/{id}"
  std::string operation_id = {};  ///< empty for an operation that a hook added without one
  std::vector<std::string> tags = {};
  std::vector<std::string> middlewares = {};  ///< names, in the route's order
  /// `visible` and `tryItOut` of an `access` object: what holds when there is no resolver.
  DocsVisibility declared = {};
};

/// Called once an operation for each request of the document; concurrently for several requests.
/// The operation is hidden, and the error logged, when it throws.
using DocsAccessResolver = std::function<DocsVisibility(Request&, const DocsDescriptor&)>;

}  // namespace fw
