// The invariants of docs/security.md as far as responses show them, for any application.
#pragma once

#include <vector>

#include "application.hpp"
#include "message.hpp"
#include "report.hpp"

namespace pairs {

/// Everything that an application was asked, in order.
using Transcript = std::vector<Exchange>;

/// What one response shows by itself.
void check_response(Application& app, const Exchange& exchange, Report& report);
/// What a shared cache that follows RFC 9111 would do with the responses: it stores those that it
/// may store, and sends them to the later requests that they match.
void check_shared_cache(Application& app, const Transcript& transcript, Report& report);
/// One line for each request, without secrets.
void check_log(Application& app, const Transcript& transcript, Report& report);

/// HEAD has the status and the fields of GET.
/// `may_omit_length`: the length is known only when the body is generated (RFC 9110, 9.3.2).
void check_head(const Exchange& get, const Exchange& head, bool may_omit_length, Report& report);
/// A 304 has the fields of the 200 that RFC 9110 names, and no body.
void check_not_modified(const Exchange& whole, const Exchange& conditional, Report& report);
/// The same response from two ways into the application.
void check_same(const Exchange& first, const Exchange& second, std::string_view rule,
                Report& report);

/// A value of another client, or of another route, in a response to this request; null if there is
/// none.
const Canary* find_foreign_canary(const Application& app, const Message& request,
                                  const Reply& reply);

}  // namespace pairs
