// The options of a route in files without <fairway/json.hpp>: `fw::RouteOptions` and its members,
// with a JsonLiteral for each fw::Json. See <fairway/route_options.hpp>.
#pragma once

#include <fairway/json_literal.hpp>
#include <fairway/responses.hpp>
#include <fairway/route_auth.hpp>
#include <fairway/route_option_types.hpp>
#include <fairway/schema.hpp>
#include <fairway/security_requirements.hpp>
#include <fairway/socket_messages.hpp>
#include <fairway/text.hpp>
#include <fairway/units.hpp>

#include <optional>

namespace fw {

struct RouteOptions;

namespace detail {

struct InlineResponseExample {
  Text summary = {};
  Text description = {};
  JsonLiteral value = {};
};

struct InlineResponseHeader {
  Text description = {};
  JsonLiteral schema = {};
};

struct InlineResponseDocs {
  Text description = {};
  OptionalResponseSchema schema = {};
  Text content_type = {};
  JsonLiteral example = {};
  NamedList<Text, InlineResponseExample> examples = {};
  NamedList<Text, InlineResponseHeader> headers = {};
};

struct InlineDocs {
  Text summary = {};
  Text description = {};
  TextList tags = {};
  Text operation_id = {};
  bool hidden = false;
  bool deprecated = false;
  SecurityRequirements security = SecurityRequirements::inferred();
  JsonLiteral extensions = {};
  NamedList<Selector, InlineResponseDocs> responses = {};
  JsonLiteral access = {};
  JsonLiteral request_body = {};
};

struct InlineFrontend {
  Text page = {};
  DataSchema data = {};
  Text mode = {};
  JsonLiteral static_params = {};
  std::optional<int> revalidate = {};
  bool client_only = false;
  Text hydration = {};
  JsonLiteral seo = {};
};

struct InlineRouteOptions {
  Validate validate = {};
  Auth auth = {};
  Cache cache = {};
  MiddlewareRefs middlewares = {};
  Responses responses = {};
  InlineDocs docs = {};
  Multipart multipart = {};
  SessionSwitch session = {};
  BodyParser body_parser = {.declared = false};
  Skip csrf = {};
  Override override_ = {};
  Timeout timeout = {};
  Skip security_headers = {};
  std::optional<bool> compression = {};
  InlineFrontend frontend = {};
  EventOptions events = {};
  Messages receive = {};
  Messages send = {};
  SocketOptions socket = {};
  Objective objective = {};
  bool mcp = false;
};

/// The options with their trees.
RouteOptions made_options(const InlineRouteOptions& options);

}  // namespace detail
}  // namespace fw
