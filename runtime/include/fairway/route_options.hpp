// Options of a route (docs/routing.md). Aggregates, written with designated initialisers.
#pragma once

#include <fairway/auth.hpp>
#include <fairway/docs.hpp>
#include <fairway/json_type.hpp>
#include <fairway/responses.hpp>
#include <fairway/route_option_types.hpp>
#include <fairway/schema.hpp>
#include <fairway/socket_messages.hpp>
#include <fairway/text.hpp>
#include <fairway/units.hpp>

#include <optional>

namespace fw {

/// `frontend` of a route: its pages and their freshness.
struct Frontend {
  /// Below `src/pages`, without extension; needed for a static page and with `client_only`.
  Text page = {};
  /// The schema of the data that the handler passes to `res.render`. Other members are removed, and
  /// the compiler rejects other names in the pages. Schemas in `responses` do not apply to pages.
  DataSchema data = {};
  Text mode = {};  ///< "static" or "revalidate"
  /// For "static": a list of objects with the parameters of the path, one for each page.
  Json static_params = {};
  std::optional<int> revalidate = {};  ///< seconds
  bool client_only = false;            ///< sends no body: the page's script shows it
  Text hydration = {};                 ///< "none" removes the browser runtime
  /// Metadata: an object with members such as `title`; members passed to `res.render` take
  /// precedence.
  Json seo = {};
};

/// All options of a route. "Constraints" (docs/route-options.md) lists which of them a route of
/// `Router::socket` has, and which exclude or need each other.
struct RouteOptions {
  Validate validate = {};           ///< what the request must contain; 422 or 400
  Auth auth = {};                   ///< who may call the route; 401 or 403
  Cache cache = {};                 ///< stores responses and sends them again
  MiddlewareRefs middlewares = {};  ///< run in this order, after the global ones
  /// Schemas of the response data by status. Data is converted to them, members that are not
  /// declared are removed, and data that cannot be converted is a 500.
  Responses responses = {};
  Docs docs = {};                                ///< for the OpenAPI document only
  Multipart multipart = {};                      ///< uploads in forms
  SessionSwitch session = {};                    ///< whether the route has sessions
  BodyParser body_parser = {.declared = false};  ///< whether and how the body is read
  Skip csrf = {};                                ///< `false` skips the check of the CSRF token
  Override override_ = {};                       ///< `override` in messages and documents
  /// Deadline of the handler: 504 after it, and `req.signal()` requests a stop. It does not limit
  /// how long a stream of events is open.
  Timeout timeout = {};
  Skip security_headers = {};            ///< `false` omits them from the response
  std::optional<bool> compression = {};  ///< opts out of compression, or in to it
  Frontend frontend = {};                ///< pages that the handler renders
  EventOptions events = {};              ///< streams of events
  Messages receive = {};                 ///< the messages that a socket receives, or `fw::raw`
  Messages send = {};                    ///< the messages that a socket sends, or `fw::raw`
  SocketOptions socket = {};             ///< how a socket is opened and sends
  Objective objective = {};              ///< what alert rules are written from
  bool mcp = false;                      ///< `true`: it is a tool of the endpoint for agents
};

}  // namespace fw
