// Pages as responses (docs/pages.md).
#pragma once

#include <fairway/response.hpp>

#include <string>
#include <string_view>

#include "pages/page_set.hpp"

namespace fw::detail {

class Exchange;

/// Responds with the page for errors of the application, whatever the route's `frontend` says.
void respond_with_error_page(Exchange& exchange, std::string_view page, const Json& data,
                             const RenderOptions& options);

/// The nonce of the content security policy, for the scripts of the page. In the slots of the
/// exchange, once a page has needed one.
struct PageNonce {
  std::string value;  ///< empty: none
};

/// A new nonce. In a page for several responses, it is a placeholder, which is never sent. Because
/// it is random, nothing else in the page contains it.
std::string make_nonce();

/// The nonce of the page; empty: none.
std::string_view page_nonce(Exchange& exchange);

/// Whether a page needs a nonce, because the response has a content security policy.
bool needs_nonce(const Exchange& exchange);

/// Replaces `placeholder` in a page by the nonce of this response, which its content security
/// policy then allows.
std::string with_nonce(Exchange& exchange, std::string html, std::string_view placeholder);

/// Responds with such a page.
void send_rendered(Exchange& exchange, int status, std::string html, std::string_view placeholder);

}  // namespace fw::detail
