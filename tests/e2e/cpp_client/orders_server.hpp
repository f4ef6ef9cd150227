// The orders sample as a process of its own, in an empty folder, with tokens of an administrator
// and of a customer.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <orders_client.hpp>
#include <string>

#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace e2e {

class OrdersServer {
 public:
  OrdersServer() : port_(free_port()), process_(start()) {
    REQUIRE(wait_until_listening(port_, process_));
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  ChildProcess& process() { return process_; }

  orders_api::OrdersClient client(const std::string& token = "admin-token") const {
    return orders_api::OrdersClient({.base_url = url(), .token = token});
  }

 private:
  ChildProcess start() {
    for (const char* folder : {"config", "locales"}) {
      std::filesystem::copy(std::filesystem::path(FAIRWAY_ORDERS_DIR) / folder,
                            directory_.path() / folder);
    }
    std::ofstream(directory_.path() / "config" / "local.json")
        << R"({"app": {"tokens": {"admin-token": {"userId": "1", "roles": ["admin"]},
                                  "customer-token": {"userId": "2", "roles": ["customer"]}}}})";
    return ChildProcess(FAIRWAY_ORDERS_PROGRAM,
                        {"--host", "127.0.0.1", "--port", std::to_string(port_)},
                        directory_.path());
  }

  fairway::test::TemporaryDirectory directory_;
  int port_;
  ChildProcess process_;
};

inline orders_api::NewCustomer customer(const std::string& email) {
  return {.name = "Ada",
          .email = email,
          .address = {.street = "St James's Square 12", .city = "London"}};
}

/// The error of type `Error` that `call` throws.
template <class Error, class Call>
Error thrown_by(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    FAIL("another error is thrown: " << error.what());
  }
  FAIL("nothing is thrown");
  throw std::logic_error("not reached");
}

}  // namespace e2e
