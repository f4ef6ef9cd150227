// What the fragments of docs/ use of the application around them.
#pragma once

#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <doctest/doctest.h>

#include <iostream>
#include <string>

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

fw::Json find_products(const fw::Request& req);
fw::Json update_product(const fw::Request& req);
void mark(const std::string& field, const std::string& message);
void suggest_login();
void report(int status, const std::string& message);
