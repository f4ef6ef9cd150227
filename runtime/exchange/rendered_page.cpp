#include "exchange/rendered_page.hpp"

#include <array>
#include <stdexcept>

#include "base/base64url.hpp"
#include "base/random.hpp"
#include "exchange/exchange.hpp"
#include "exchange/preconditions.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kHtml = "text/html; charset=utf-8";
constexpr std::array<std::string_view, 2> kPolicies = {"content-security-policy",
                                                       "content-security-policy-report-only"};

std::string make_nonce() {
  std::array<unsigned char, 18> bytes;
  base::fill_random(bytes);
  return base::encode_base64url(bytes);
}

/// The nonce of this response, which its policy then allows; empty if it has no policy.
const std::string& nonce_of(Exchange& exchange) {
  if (!exchange.nonce.empty()) return exchange.nonce;
  OutgoingResponse& response = exchange.outgoing;
  for (const std::string_view name : kPolicies) {
    const auto policy = response.field(name);
    if (!policy) continue;
    if (exchange.nonce.empty()) exchange.nonce = make_nonce();
    response.set_field(name, pages::policy_with_nonce(*policy, exchange.nonce));
  }
  return exchange.nonce;
}

Json merged(const Json& below, const Json& above) {
  if (!below.is_object()) return above;
  Json seo = below;
  if (above.is_object()) seo.merge_patch(above);
  return seo;
}

std::string render(const pages::PageSet& pages, const Route* route, std::string_view page,
                   const Json& data, const Json& seo, std::string_view nonce) {
  if (!data.is_object()) {
    throw std::invalid_argument(
        "the data of a page must be an object, whose members are the names "
        "in the page");
  }
  static const Frontend kDefault;
  const Frontend& options = route != nullptr ? route->options.frontend : kDefault;
  const Json all_seo = merged(options.seo, seo);
  return pages.render({.page = page,
                       .data = data,
                       .seo = all_seo,
                       .renders_body = !options.client_only,
                       .hydrates = options.hydration.str() != "none",
                       .nonce = nonce});
}

}  // namespace

void render_page(Exchange& exchange, std::string_view page, const Json& data,
                 const RenderOptions& options) {
  OutgoingResponse& response = exchange.outgoing;
  const auto pages = exchange.env.pages.current();
  // A second response is ignored; it must not change the header fields of the first one.
  const std::string nonce = response.is_set() ? std::string() : nonce_of(exchange);
  response.text(render(*pages, exchange.route, page, data, options.seo, nonce), kHtml,
                options.status);
}

std::string rendered_page(const pages::PageSet& pages, const Route& route, std::string_view page,
                          const Json& data, const Json& seo) {
  return render(pages, &route, page, data, seo, kAnyNonce);
}

void send_rendered(Exchange& exchange, int status, std::string html) {
  const std::string nonce = nonce_of(exchange);
  std::size_t at = html.find(kAnyNonce);
  while (at != std::string::npos) {
    html.replace(at, kAnyNonce.size(), nonce);
    at = html.find(kAnyNonce, at + nonce.size());
  }
  if (nonce.empty() && status == 200 && exchange.env.config.etag != EntityTags::off) {
    exchange.outgoing.set_field("etag", make_entity_tag(html));
  }
  exchange.outgoing.text(std::move(html), kHtml, status);
}

}  // namespace fw::detail
