// The calls and responses of the handlers of the areas `fetch` and `proxy`.
#pragma once

#include <fairway/fairway.hpp>

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace responses {

/// `path` at the upstream of the cases, whose address is the setting `app.up`
/// (FAIRWAY_APP_UP=http://127.0.0.1:4000).
std::string up(const fw::Router& app, std::string_view path = "");
/// As `up`, with the id of the request at the end.
std::string up_with_id(const fw::Router& app, const fw::Request& req, std::string_view path);

/// {status, ok, body}; the body is parsed when it is JSON, else it is the text.
fw::Json summary(fw::FetchResponse response);
/// Responds with a summary of the result of `call`, or {threw, message} if it throws.
void fetched(fw::Response& res, const std::function<fw::FetchResponse()>& call);
/// As `fetched`, with the arguments that `call` was asked for delays with.
void fetched_with_delays(fw::Response& res,
                         const std::function<fw::FetchResponse(fw::RetryDelay)>& call);
/// As `fetched`, with a signal that is requested so much later.
void fetched_until(fw::Response& res, std::chrono::milliseconds delay,
                   const std::function<fw::FetchResponse(std::stop_token)>& call);

}  // namespace responses
