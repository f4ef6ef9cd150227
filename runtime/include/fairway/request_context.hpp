// What code without access to the request may know of it (docs/auth.md).
#pragma once

#include <optional>
#include <string>

namespace fw {

/// Who makes a request, without credentials, claims, roles and scopes.
struct Caller {
  std::string user_id;   ///< in the application's terms; may be empty
  std::string subject;   ///< in the provider's terms; may be empty
  std::string provider;  ///< of the middleware that found the caller
  std::string scheme;    ///< `source` of that middleware
};

/// The request that a thread is working on.
struct CurrentRequest {
  std::string id;  ///< empty if request ids are disabled
  /// As found by the middlewares. None for anonymous requests, and within the middlewares.
  std::optional<Caller> caller;
};

/// A snapshot of the request that the calling thread is working on, for services, plugins and
/// loggers. None outside of a request, and if `requestContext.enabled` is false. Work that a
/// handler began with fw::Future or fw::all is part of its request. For the response cache, a
/// handler that calls it depends on the caller and the id, as with `req.auth()` and
/// `req.request_id()`.
std::optional<CurrentRequest> current_request();

}  // namespace fw
