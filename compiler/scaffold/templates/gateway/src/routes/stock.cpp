#include <fairway/fairway.hpp>

#include <string>

#include "stock.routes.hpp"  // generated: the code of the types that this file defines

namespace {

struct ByProduct {
  fw::Field<"integer:1-"> product;
};

struct Stock {
  std::int64_t product;
  bool available;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  const auto stock = app.fetch.create({.base_url = app.config().app.value("stock", "")});

  // A response of our own, made from the upstream's response.
  app.get("/:product",
          {
              .docs = {.summary = "Tell whether a product is in stock",
                       .operation_id = "getStock",
                       .responses = {{"404", {.description = "There is no such product"}},
                                     {"502", {.description = "The stock service is unavailable"}},
                                     {"504", {.description = "The stock service is too slow"}}}},
          },
          [&app, stock](fw::Request& req, fw::Param<ByProduct> param) -> Stock {
            const std::int64_t product = param->product;
            const auto count = [&] {
              try {
                auto response =
                    stock.get("/stock/" + std::to_string(product), {.signal = req.signal()});
                if (response.status() == 404) app.raise(404, "there is no such product");
                if (!response.ok()) app.raise(502, "the stock service is unavailable");
                return response.json().value("count", 0);
              } catch (const fw::TimeoutError&) {
                app.raise(504, "the stock service is too slow");
              } catch (const fw::NetworkError&) {
                app.raise(502, "the stock service is unavailable");
              }
            }();
            return {.product = product, .available = count > 0};
          });
});
