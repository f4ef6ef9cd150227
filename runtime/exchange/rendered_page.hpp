// Pages as responses (reference: Frontend; docs/pages.md).
#pragma once

#include <fairway/response.hpp>

#include <string>
#include <string_view>

#include "pages/page_set.hpp"

namespace fw::detail {

class Exchange;
struct Route;

/// Responds with a page, as the route's `frontend` says. The data is shaped by the schema of the
/// route's pages, if there is one. Throws std::invalid_argument for a page that does not exist or
/// for data that is not an object, and std::runtime_error for data that is not as declared.
void render_page(Exchange& exchange, std::string_view page, const Json& data,
                 const RenderOptions& options);
/// The same for a struct, without a tree if its type is that of the schema.
void render_page(Exchange& exchange, std::string_view page, const EncodableData& data,
                 const RenderOptions& options);

/// Responds with the page for errors of the application, whatever the route's `frontend` says.
void respond_with_error_page(Exchange& exchange, std::string_view page, const Json& data,
                             const RenderOptions& options);

using pages::kAnyNonce;

/// Whether the response has a content security policy, so that its page needs a nonce.
bool needs_nonce(const Exchange& exchange);

/// Writes the nonce of this response into a page with `kAnyNonce`, and into the content security
/// policy.
std::string with_nonce(Exchange& exchange, std::string html);

/// Responds with such a page.
void send_rendered(Exchange& exchange, int status, std::string html);

}  // namespace fw::detail
