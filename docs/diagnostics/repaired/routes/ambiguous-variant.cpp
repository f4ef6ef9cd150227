#include <fairway/fairway.hpp>

#include "ambiguous-variant.routes.hpp"

#include <variant>

struct Card {
  fw::Literal<"card"> kind;
  std::string number;
};
struct Transfer {
  fw::Literal<"transfer"> kind;
  std::string iban;
};
struct Payment {
  std::variant<Card, Transfer> method;
};

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", [](fw::Body<Payment>) -> fw::NoContent { return {}; });
});
