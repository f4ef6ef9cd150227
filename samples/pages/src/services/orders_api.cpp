#include "services/orders_api.hpp"

#include <chrono>
#include <orders_client.hpp>
#include <utility>

namespace {

using orders_api::ApiError;
using orders_api::CallOptions;
using orders_api::TransportError;

Product product_from(orders_api::Product product) {
  return {.id = product.id,
          .name = std::move(product.name),
          .category = std::string(to_string(product.category)),
          .cents = product.priceCents,
          .description = std::move(product.description)};
}

/// "address/zip must be …" of the API as an error of the member `zip`, without the subject.
fw::FieldError member_error(const orders_api::FieldError& error) {
  const bool has_subject = error.message.starts_with(error.field + " ");
  return {.field = error.field.substr(error.field.rfind('/') + 1),
          .message = has_subject ? error.message.substr(error.field.size() + 1) : error.message};
}

}  // namespace

OrdersApi::OrdersApi(const fw::Json& settings)
    : client_(std::make_unique<orders_api::OrdersClient>(orders_api::ClientOptions{
          .base_url = settings.value("url", "http://127.0.0.1:3000"),
          .trace = fw::trace_headers,
          .timeout = std::chrono::milliseconds(settings.value("timeout", 3000))})) {}

OrdersApi::~OrdersApi() = default;

/// Sends the request id of the visitor, which connects the logs of both programs. Errors with a
/// status of 4xx are left to the caller.
template <class Call>
auto OrdersApi::send(fw::Request& req, Call call) {
  try {
    return call({.stop = req.signal(), .request_id = std::string(req.request_id())});
  } catch (const TransportError& error) {
    req.app().logger().error(error.what());
    if (error.kind() == TransportError::Kind::connect) {
      fw::raise(503, "The shop is closed for a moment");
    }
    if (error.kind() == TransportError::Kind::timeout) fw::raise(504, "The shop is too busy");
  } catch (const ApiError& error) {
    if (error.status() < 500) throw;
    req.app().logger().error(error.what());
  }
  fw::raise(502, "Something is wrong in the shop");
}

std::vector<Product> OrdersApi::products(fw::Request& req) {
  auto list = send(req, [this](const CallOptions& options) {
    return client_->listProducts({.limit = 100}, options);
  });
  std::vector<Product> products;
  for (auto& product : list) products.push_back(product_from(std::move(product)));
  return products;
}

Product OrdersApi::product(fw::Request& req, std::int64_t id) {
  try {
    return send(req, [&](const CallOptions& options) {
      return product_from(client_->getProduct({.id = id}, options));
    });
  } catch (const orders_api::ProductNotFound&) {
    fw::raise(404, "We do not sell that");
  }
}

Customer OrdersApi::register_customer(fw::Request& req, const NewCustomer& customer) {
  std::optional<std::string> zip;
  if (!customer.zip.empty()) zip = customer.zip;
  try {
    return send(req, [&](const CallOptions& options) -> Customer {
      const auto created = client_->createCustomer(
          {.body = {.name = customer.name,
                    .email = customer.email,
                    .address = {.street = customer.street, .city = customer.city, .zip = zip}}},
          options);
      return {.id = created.id, .name = created.name};
    });
  } catch (const orders_api::ValidationFailure& failure) {
    std::vector<fw::FieldError> errors;
    for (const auto& error : failure.fields()) errors.push_back(member_error(error));
    throw fw::ValidationError(std::move(errors));
  } catch (const ApiError& error) {
    if (error.code() != "EMAIL_TAKEN") throw;
    throw fw::ValidationError({{"email", "is registered already; please use another one"}});
  }
}

std::optional<PlacedOrder> OrdersApi::place_order(fw::Request& req, std::int64_t customer_id,
                                                  const std::vector<OrderItem>& items) {
  orders_api::NewOrder body = {.customerId = customer_id};
  for (const OrderItem& item : items) {
    body.items.push_back({.productId = item.product_id, .quantity = item.quantity});
  }
  try {
    return send(req, [&](const CallOptions& options) -> PlacedOrder {
      const auto order = client_->createOrder({.body = body}, options);
      return {.id = order.id, .cents = order.totalCents};
    });
  } catch (const orders_api::CustomerNotFound&) {
    return std::nullopt;
  } catch (const orders_api::ProductNotFound&) {
    fw::raise(409, "Something in your cart is no longer for sale. Nothing has been ordered.");
  }
}
