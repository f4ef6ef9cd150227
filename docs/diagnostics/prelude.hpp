// What the examples use without declaring it: included before each of them.
#pragma once

#include <fairway/fairway.hpp>

#include <atomic>
#include <string>

inline void respond(fw::Request&, fw::Response& res) { res.json(fw::Json::object()); }

inline constexpr auto list = respond, list_all = respond, create = respond, admin = respond,
                      show = respond, info = respond, search = respond, by_id = respond,
                      by_name = respond, read_file = respond, never = respond, orders = respond,
                      remove_one = respond, live = respond, latest = respond;

inline void join(fw::Request&, fw::Socket& socket) {
  socket.on("say", [](const fw::Json&) {});
}

using Register = void (fw::Router::*)(fw::Text, fw::RouteHandler);
inline const std::string kBase = "/users";
inline const bool with_admin = true;
inline int compute_timeout() { return 500; }
inline fw::RouteOptions guarded_options(const char* role) {
  return {.auth = fw::AuthRequirement{.roles = {role}}};
}
inline void add_crud_routes(fw::Router&, const char*) {}
inline const char* type_of(const char* name) { return name; }
