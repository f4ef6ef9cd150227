// Pages as responses (reference: Frontend; docs/pages.md).
#pragma once

#include <fairway/response.hpp>

#include <string>
#include <string_view>

#include "pages/page_set.hpp"

namespace fw::detail {

class Exchange;
struct Route;

/// Responds with a page, as the route's `frontend` says. Throws std::invalid_argument for a page
/// that does not exist or for data that is not an object.
void render_page(Exchange& exchange, std::string_view page, const Json& data,
                 const RenderOptions& options);

/// A page as the route's `frontend` says, for any number of responses: with `kAnyNonce` in the
/// place of a nonce. `seo` replaces members of the route's.
std::string rendered_page(const pages::PageSet& pages, const Route& route, std::string_view page,
                          const Json& data, const Json& seo);

/// What stands for the nonce in pages that are rendered for several responses.
inline constexpr std::string_view kAnyNonce = "fairway-nonce-of-the-response";

/// Responds with such a page: writes the nonce of this response into it, if the content security
/// policy needs one. A page without a nonce gets an entity tag.
void send_rendered(Exchange& exchange, int status, std::string html);

}  // namespace fw::detail
