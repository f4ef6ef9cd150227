// The options of files without <fairway/json.hpp>, with their trees.
#include <fairway/inline_route_options.hpp>
#include <fairway/route_options.hpp>

#include <utility>
#include <vector>

#include "base/declared_impl.hpp"

namespace fw {
namespace {

template <class Name, class From, class Made>
NamedList<Name, Made> made_list(const NamedList<Name, From>& list, Made (*make)(const From&)) {
  std::vector<typename NamedList<Name, Made>::Entry> entries;
  for (const auto& [name, value] : list) entries.emplace_back(name, make(value));
  return NamedList<Name, Made>(detail::List<typename NamedList<Name, Made>::Entry>(entries));
}

ResponseExample made_example(const detail::InlineResponseExample& options) {
  const auto& [summary, description, value] = options;
  return {.summary = summary, .description = description, .value = value.tree()};
}

ResponseHeader made_header(const detail::InlineResponseHeader& options) {
  const auto& [description, schema] = options;
  return {.description = description, .schema = schema.tree()};
}

ResponseDocs made_response(const detail::InlineResponseDocs& options) {
  const auto& [description, schema, content_type, example, examples, headers] = options;
  return {.description = description,
          .schema = schema,
          .content_type = content_type,
          .example = example.tree(),
          .examples = made_list(examples, made_example),
          .headers = made_list(headers, made_header)};
}

Docs made_docs(const detail::InlineDocs& options) {
  const auto& [summary, description, tags, operation_id, hidden, deprecated, security, extensions,
               responses, access, request_body] = options;
  return {.summary = summary,
          .description = description,
          .tags = tags,
          .operation_id = operation_id,
          .hidden = hidden,
          .deprecated = deprecated,
          .security = security,
          .extensions = extensions.tree(),
          .responses = made_list(responses, made_response),
          .access = access.tree(),
          .request_body = request_body.tree()};
}

Frontend made_frontend(const detail::InlineFrontend& options) {
  const auto& [page, data, mode, static_params, revalidate, client_only, hydration, seo] = options;
  return {.page = page,
          .data = data,
          .mode = mode,
          .static_params = static_params.tree(),
          .revalidate = revalidate,
          .client_only = client_only,
          .hydration = hydration,
          .seo = seo.tree()};
}

}  // namespace

namespace detail {

RouteOptions made_options(const InlineRouteOptions& options) {
  const auto& [validate, auth, cache, middlewares, responses, docs, multipart, session, body_parser,
               csrf, override_, timeout, security_headers, compression, frontend, events, receive,
               send, socket, objective, mcp] = options;
  return {.validate = validate,
          .auth = auth,
          .cache = cache,
          .middlewares = middlewares,
          .responses = responses,
          .docs = made_docs(docs),
          .multipart = multipart,
          .session = session,
          .body_parser = body_parser,
          .csrf = csrf,
          .override_ = override_,
          .timeout = timeout,
          .security_headers = security_headers,
          .compression = compression,
          .frontend = made_frontend(frontend),
          .events = events,
          .receive = receive,
          .send = send,
          .socket = socket,
          .objective = objective,
          .mcp = mcp};
}

}  // namespace detail
}  // namespace fw
