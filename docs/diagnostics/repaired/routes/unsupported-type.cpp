#include <fairway/fairway.hpp>

#include "unsupported-type.routes.hpp"

struct Address {
  std::string city;
};
struct NewUser {
  Address address;
};

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", [](fw::Body<NewUser>) -> fw::NoContent { return {}; });
});
