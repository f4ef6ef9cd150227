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
#include <string>
#include <variant>

#include "orders_client.hpp"

struct Period {
  std::string starts;
  std::string ends;
};
extern const Period body;
extern const std::string email;
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

fw::Json find_products(const fw::Request& req);
fw::Json update_product(const fw::Request& req);
void mark(const std::string& field, const std::string& message);
void suggest_login();
void report(int status, const std::string& message);
