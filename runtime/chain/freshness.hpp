// The last step before a response is sent: the fields by which caches decide (docs/cache.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "exchange/exchange.hpp"

namespace fw::detail {

inline constexpr std::string_view kCacheControl = "cache-control";
inline constexpr std::string_view kCache = "x-cache";

/// Writes Cache-Control and X-Cache of a response whose other fields are known, and completes Vary.
/// A Cache-Control of the application is kept, with two exceptions: together with Set-Cookie or a
/// CSRF token, and in responses that depend on who asks, it does not allow shared caches to store
/// the response. Errors are "no-store" unless the application has set the field for them. A
/// response of a cached route depends on who asks, too, if code that runs for each request has read
/// what Vary does not name: shared caches would send it without that code. So does every response
/// for which the session or an identity was used, and one of an upstream
/// (`Freshness::is_of_upstream`) if the application has read something else of the client for the
/// request.
///
/// A stored response has an Age if a lifetime in it counts from the time when it was made: one of
/// the application, or of an upstream, whose own Age is added. Then `max-age` does, too.
///
/// Some caches decide by a field of their own instead of Cache-Control (RFC 9213). Where this one
/// becomes private or "no-store", theirs are removed.
void write_freshness(Exchange& exchange);

/// Removes CDN-Cache-Control, Surrogate-Control and others by which some caches decide instead of
/// Cache-Control.
void remove_targeted_fields(http::Fields& fields);

/// Whether the Vary field names a header field.
bool names_in_vary(const http::Fields& fields, std::string_view name);

/// Whether Cache-Control, in one of its lines, forbids storing the response for others.
bool forbids_storing(const http::Fields& fields);

/// Whether Cache-Control forbids storing the response for anyone.
bool has_no_store(const http::Fields& fields);

/// A time for `max-age`: whole seconds, at least 0, and no more than caches understand. Rounded to
/// whole milliseconds first, in which times to live are given.
std::int32_t max_age_of(std::chrono::system_clock::duration time);

}  // namespace fw::detail
