// The responses of the handlers of the conformance applications.
#pragma once

#include <fairway/fairway.hpp>

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace responses {

/// {ok: true}.
void ok(fw::Request& req, fw::Response& res);
/// The members {isAuthenticated, userId, subject, roles, scopes, error} that are set; roles and
/// scopes always.
void identity(fw::Request& req, fw::Response& res);
/// {path, route, url, params, query} of the request.
void facts(fw::Request& req, fw::Response& res);
/// {tag, route, params, query, path} of the request.
void tagged(fw::Request& req, fw::Response& res, std::string_view tag);
/// {method, url, path, route, ip, protocol, multi, idLength}.
void request_line(fw::Request& req, fw::Response& res);
/// {body}, or the text "<absent>" in its place.
void parsed_body(fw::Request& req, fw::Response& res);
/// {files, body}: each file as {fieldname, filename, mimetype, size, text}, text of 20 characters
/// at most; body as in `parsed_body`.
void uploads(fw::Request& req, fw::Response& res);
/// The validated data of each location beside rawQuery, rawBody and rawParams. A location without a
/// schema is null, or "<absent>" where `mark_absent` says so.
void valid(fw::Request& req, fw::Response& res, std::initializer_list<fw::Location> locations,
           bool mark_absent = false);

/// The keys among n, t and y that the session has, as an object.
fw::Json session_data(fw::Request& req);
/// {isNew, data} of the session.
void session(fw::Request& req, fw::Response& res);
/// Adds 1 to n of the session: {n, idLength}.
void count_in_session(fw::Request& req, fw::Response& res);

/// A source of these chunks, one per read, each after the delay; its length is not known.
fw::Readable chunks(std::vector<std::string> texts,
                    std::chrono::milliseconds delay = std::chrono::milliseconds(0));

/// The counter of an application.
using Counter = std::shared_ptr<std::atomic<int>>;
Counter new_counter();
/// Adds 1 to the counter; {hits: the counter}.
void hits(const Counter& counter, fw::Response& res, int status = 200);

/// Writes one line of every kind.
void log_lines(const fw::Logger& logger);
std::string level_name(const fw::Logger& logger);
void set_level(const fw::Logger& logger, std::string_view name);

/// The texts that middlewares have left on the request.
std::vector<std::string>& trace(fw::Request& req);

/// Characters of UTF-8 text, as JavaScript counts them for the basic plane.
std::size_t characters(std::string_view text);

void wait(std::chrono::milliseconds duration);
void wait_for(const std::stop_token& token, std::chrono::milliseconds limit);

}  // namespace responses
