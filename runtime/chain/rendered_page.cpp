#include "chain/rendered_page.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <tuple>

#include "base/base64url.hpp"
#include "base/random.hpp"
#include "exchange/exchange.hpp"
#include "observe/active_span.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::array<std::string_view, 2> kPolicies = {"content-security-policy",
                                                       "content-security-policy-report-only"};

/// The nonce of this response, which its policy then allows; empty if it has no policy.
std::string nonce_of(Exchange& exchange) {
  std::string value(page_nonce(exchange));
  const PageRendering* const rendering = exchange.env.features.page_rendering;
  if (!value.empty() || rendering == nullptr) return value;
  OutgoingResponse& response = exchange.outgoing;
  for (const std::string_view name : kPolicies) {
    const auto policy = response.field(name);
    if (!policy) continue;
    if (value.empty()) value = make_nonce();
    response.set_field(name, rendering->policy_with_nonce(*policy, value));
  }
  if (!value.empty()) exchange.slots.set(PageNonce{value});
  return value;
}

Json merged(const Json& below, const Json& above) {
  if (!below.is_object()) return above;
  Json seo = below;
  if (above.is_object()) seo.merge_patch(above);
  return seo;
}

/// The language of a page that has messages in the language of the request; empty if it has none.
/// The page depends on it, also if only a middleware has used it.
std::string_view language_of(Exchange& exchange) {
  if (!exchange.reads.has_language() || exchange.env.locales.empty()) return {};
  exchange.observe(RequestPart::language);
  return exchange.language();
}

std::string render(const Environment& env, const Frontend& options, std::string_view page,
                   const templates::Data& data, const Json& seo, std::string_view nonce,
                   std::string_view language) {
  if (data.root().kind != templates::DataNode::Kind::object) {
    throw std::invalid_argument(
        "the data of a page must be an object, whose members are the names "
        "in the page");
  }
  const PageRendering* const rendering = env.features.page_rendering;
  if (rendering == nullptr) throw std::invalid_argument(fmt::format("there is no page '{}'", page));
  const Json all_seo = merged(options.seo, seo);
  return rendering->render(*env.pages.current(), {.page = page,
                                                  .data = data,
                                                  .seo = all_seo,
                                                  .renders_body = !options.client_only,
                                                  .hydrates = options.hydration.str() != "none",
                                                  .nonce = nonce,
                                                  .language = language});
}

const Frontend& frontend_of(const Route* route) {
  static const Frontend kDefault;
  return route != nullptr ? route->options.frontend : kDefault;
}

void respond(Exchange& exchange, const Frontend& frontend, std::string_view page,
             const templates::Data& data, const RenderOptions& options) {
  OutgoingResponse& response = exchange.outgoing;
  // A second response is ignored; it must not change the first one.
  const bool is_first = !response.is_set();
  const std::string nonce = is_first ? nonce_of(exchange) : std::string();
  ActiveSpan span("template");
  span.set("fairway.page", page);
  const std::string_view language = language_of(exchange);
  response.text(render(exchange.env, frontend, page, data, options.seo, nonce, language), kHtml,
                options.status);
  if (is_first) response.is_page = true;
}

/// Responds with a page, as the route's `frontend` says. The data is shaped by the schema of the
/// route's pages, if there is one. Throws std::invalid_argument for a page that does not exist or
/// for data that is not an object, and std::runtime_error for data that is not as declared.
void render_page(Exchange& exchange, std::string_view page, const Json& data,
                 const RenderOptions& options) {
  const Frontend& frontend = frontend_of(exchange.route);
  if (exchange.route == nullptr || !exchange.route->page_data) {
    return respond(exchange, frontend, page, templates::Data(data), options);
  }
  Json shaped = data;
  if (const auto failure = exchange.route->page_data->apply(shaped)) {
    throw std::runtime_error(ResponseSchemas::describe(
        fmt::format("the data for the page '{}' of {}", page, name_of(*exchange.route)), *failure));
  }
  respond(exchange, frontend, page, templates::Data(shaped), options);
}

/// The same for a struct, without a tree if the route has no schema of the data.
void render_page(Exchange& exchange, std::string_view page, const EncodableData& data,
                 const RenderOptions& options) {
  const bool has_schema = exchange.route != nullptr && exchange.route->page_data;
  if (has_schema || !exchange.env.config.typed_path) {
    return render_page(exchange, page, data.to_tree(), options);
  }
  JsonWriter writer;
  data.encode(writer, data.value);
  respond(exchange, frontend_of(exchange.route), page, templates::Data::parse(writer.content()),
          options);
}

}  // namespace

void respond_with_error_page(Exchange& exchange, std::string_view page, const Json& data,
                             const RenderOptions& options) {
  respond(exchange, frontend_of(nullptr), page, templates::Data(data), options);
}

std::string make_nonce() {
  std::array<unsigned char, 18> bytes;
  base::fill_random(bytes);
  return base::encode_base64url(bytes);
}

std::string_view page_nonce(Exchange& exchange) {
  const auto* const nonce = exchange.slots.get<PageNonce>();
  return nonce != nullptr ? std::string_view(nonce->value) : std::string_view();
}

bool needs_nonce(const Exchange& exchange) {
  const http::Fields& fields = exchange.outgoing.fields;
  const auto has_any = [&](const auto&... names) { return (fields.find(names) || ...); };
  return std::apply(has_any, kPolicies);
}

std::string with_nonce(Exchange& exchange, std::string html, std::string_view placeholder) {
  const std::string nonce = nonce_of(exchange);
  std::size_t at = html.find(placeholder);
  while (at != std::string::npos) {
    html.replace(at, placeholder.size(), nonce);
    at = html.find(placeholder, at + nonce.size());
  }
  return html;
}

void send_rendered(Exchange& exchange, int status, std::string html, std::string_view placeholder) {
  exchange.outgoing.text(with_nonce(exchange, std::move(html), placeholder), kHtml, status);
  exchange.outgoing.is_page = true;
}

}  // namespace fw::detail

namespace fw {

void Response::render(std::string_view page, const Json& data, RenderOptions options) {
  detail::render_page(exchange_, page, data, options);
}
void Response::render(std::string_view page, const Json& data) {
  detail::render_page(exchange_, page, data, {});
}
void Response::render(std::string_view page) {
  detail::render_page(exchange_, page, detail::empty_object(), {});
}
void Response::render_of(std::string_view page, const detail::EncodableData& data) {
  detail::render_page(exchange_, page, data, {});
}
void Response::render_of(std::string_view page, const detail::JsonLiteral& data) {
  detail::render_page(exchange_, page, data.tree(), {});
}
void Response::render_of(std::string_view page, const detail::EncodableData& data,
                         const RenderOptions& options) {
  detail::render_page(exchange_, page, data, options);
}

}  // namespace fw
