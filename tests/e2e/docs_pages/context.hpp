// What the fragments of docs/ use of the application around them.
#pragma once

#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <charconv>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#define FAIRWAY_CLIENT_WITH_SOCKETS
#include "orders_client.hpp"

struct Period {
  std::string starts;
  std::string ends;
};
extern const Period body;
extern const std::string email;
extern const std::string password;
extern const std::string token;
extern const fw::FetchClient billing;
extern const orders_api::NewCustomer customer;
extern orders_api::OrdersClient client;

// A client of a stream.
namespace orders_api {
struct WatchOrdersCreatedEvent {
  Json data;
  std::string id;
};
struct WatchOrdersDeletedEvent {
  std::int64_t data;
  std::string id;
};
using WatchOrdersEvent = std::variant<WatchOrdersCreatedEvent, WatchOrdersDeletedEvent>;
struct Feed {
  Stream<WatchOrdersEvent> watchOrders(const StreamOptions& options = {});
  void forEachWatchOrders(const std::function<bool(WatchOrdersEvent)>& handle,
                          const StreamOptions& options = {});
};
}  // namespace orders_api
extern orders_api::Feed feed;
void show(const fw::Json& order, const std::string& id);
bool show(const orders_api::WatchOrdersEvent& event);

// A client of a service with sessions.
namespace accounts_api {
using fairway_client::CookieJar;
struct SignInRequest {
  struct Body {
    std::string email;
    std::string password;
  } body;
};
struct Token {
  std::string token;
};
struct Profile {
  std::string email;
};
struct AccountsClient {
  explicit AccountsClient(fairway_client::ClientOptions options);
  Token getCsrfToken();
  void signIn(const SignInRequest& request, const fairway_client::CallOptions& options);
  Profile getProfile();
};
}  // namespace accounts_api
void show(const accounts_api::Profile& profile);

// A client of a socket.
namespace chat_api {
struct RoomSayData {
  std::string text;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.required("text", self.text);
  }
};
struct RoomSayMessage {
  static constexpr std::string_view fw_type = "say";
  RoomSayData data;
};
struct RoomSaidData {
  std::string by;
  std::string text;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor& visitor) {
    visitor.required("by", self.by);
    visitor.required("text", self.text);
  }
};
struct RoomSaidMessage {
  static constexpr std::string_view fw_type = "said";
  RoomSaidData data;
};
using RoomSends = std::variant<RoomSayMessage>;
using RoomReceives = std::variant<RoomSaidMessage>;
using RoomSocket = fairway_client::Socket<RoomSends, RoomReceives>;
struct RoomRequest {
  std::int64_t id;
};
struct ChatClient {
  RoomSocket room(const RoomRequest& request, const RoomSocket::Options& options = {});
};
}  // namespace chat_api
extern chat_api::ChatClient chat;
void show(const std::string& by, const std::string& text);
bool wants_reply(const chat_api::RoomReceives& message);

fw::Json find_products(const fw::Request& req);
fw::Json update_product(const fw::Request& req);
void mark(const std::string& field, const std::string& message);
void suggest_login();
void report(int status, const std::string& message);
