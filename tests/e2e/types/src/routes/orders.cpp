#include <fairway/fairway.hpp>

#include <utility>

#include "../models/order.hpp"
#include "orders.routes.hpp"

namespace {

struct ById {
  shop::Id id;
};

struct Filter {
  std::optional<std::string> status;
  fw::Field<"integer:1-100=20"> limit;
  bool open = false;
  std::optional<shop::Channel> channel;
};

struct Tenant {
  std::string x_tenant;
  FW_JSON(Tenant, (x_tenant, "x-tenant"))
};

struct Conflict {
  std::string reason;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", [](fw::Body<shop::NewOrder> order) -> fw::Created<shop::Order> {
    shop::Order made;
    static_cast<shop::NewOrder&>(made) = *order;
    made.id = 42;
    return made;
  });

  app.get("/", [](fw::Query<Filter> filter) -> shop::Page<Filter> {
    return {.data = {*filter}, .total = 1};
  });

  app.get("/:id", [&app](fw::Param<ById> by) -> std::variant<ById, fw::Status<409, Conflict>> {
    if (by->id == 7) return fw::Status<409, Conflict>({.reason = "seven"});
    if (by->id == 8) app.raise(410, "gone", "order.gone");
    return *by;
  });

  app.del("/:id", [](fw::Param<ById>) -> fw::NoContent { return {}; });

  app.get("/tenant", [](fw::Header<Tenant> tenant, fw::Response& res) { res.json(*tenant); });
});
