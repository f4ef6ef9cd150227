// Makes a stored response of the response of a handler, and sends stored responses.
#pragma once

#include <string_view>

#include "exchange/exchange.hpp"
#include "features/cache/cached_run.hpp"
#include "features/cache/stored_response.hpp"

namespace fw::detail {

struct Storability {
  bool is_storable = false;
  /// What keeps a response from being stored whose status and Cache-Control allow it.
  std::string_view reason = {};
};

/// Whether a stored response can be made of the response of the handler.
Storability storability_of(Exchange& exchange);

/// The response of the handler, as it is stored; `before` are the fields of earlier stages.
StoredResponse taken_response(const Exchange& exchange, const http::Fields& before);

/// Sets fields, which replace all earlier ones of their names. Names are added to Vary.
void replace_fields(OutgoingResponse& outgoing, const http::Fields& replacements);

/// Sends the response of the handler in the coding that the client accepts, if any, and adds the
/// encoded body to the stored response.
void compress_first(Exchange& exchange, StoredResponse& response);

/// Whether the client of a GET or HEAD has the response, and a 304 needs nothing but fields of it.
bool is_known(const Exchange& exchange, const StoredResponse& response);
/// Sends that 304.
void send_not_modified(Exchange& exchange, const StoredResponse& response);

/// Sends a stored response. Stores its body in the coding that the client accepts, if it is new.
void send_stored(Exchange& exchange, CachedRun& run, const StoredResponse& response);

}  // namespace fw::detail
