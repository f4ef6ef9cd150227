#pragma once

#include <fairway/fairway.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orders_api {
class OrdersClient;
}

struct Product {
  std::int64_t id = 0;
  std::string name;
  std::string category;
  std::int64_t cents = 0;
  std::optional<std::string> description;
};

struct NewCustomer {
  std::string name;
  std::string email;
  std::string street;
  std::string city;
  std::string zip;  ///< may be empty
  FW_JSON(NewCustomer, name, email, street, city, zip)
};

struct Customer {
  std::int64_t id = 0;
  std::string name;
  FW_JSON(Customer, id, name)
};

struct OrderItem {
  std::int64_t product_id = 0;
  std::int64_t quantity = 0;
};

struct PlacedOrder {
  std::int64_t id = 0;
  std::int64_t cents = 0;  ///< the total
};

/// The API of samples/orders, called by its generated client. Thread-safe. A call blocks its thread
/// and is cancelled when the visitor disconnects. If the API is out of reach, too slow or broken,
/// it throws an fw::HttpError with status 503, 504 or 502.
class OrdersApi {
 public:
  /// `settings` has `url` and `timeout`, in milliseconds.
  explicit OrdersApi(const fw::Json& settings);
  ~OrdersApi();

  /// The first 100 products, which is the most that the API lists.
  std::vector<Product> products(fw::Request& req);
  /// Throws an fw::HttpError with status 404 if there is no product of that id.
  Product product(fw::Request& req, std::int64_t id);
  /// Throws an fw::ValidationError if the API rejects members of `customer`. Its messages have no
  /// subject: "must be at least 3 characters long".
  Customer register_customer(fw::Request& req, const NewCustomer& customer);
  /// Nothing if the API does not know the customer. Throws an fw::HttpError with status 409 if a
  /// product no longer exists.
  std::optional<PlacedOrder> place_order(fw::Request& req, std::int64_t customer_id,
                                         const std::vector<OrderItem>& items);

 private:
  template <class Call>
  auto send(fw::Request& req, Call call);

  std::unique_ptr<orders_api::OrdersClient> client_;
};
