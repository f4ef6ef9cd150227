// FW_JSON in macros, a typedef of a struct without a name, and a type that has the name of one in
// sent.cpp.
#include <fairway/fairway.hpp>

#include <string>

#include "wrapped.routes.hpp"

namespace {

struct ById {
  fw::Field<"string:2-5"> id;
};

#define WRAPPED_JSON FW_JSON(Wrapped, id, (customer_id, "customerId"))
struct Wrapped {
  std::int64_t id;
  std::int64_t customer_id;
  WRAPPED_JSON
};

#define LISTED(type, ...) FW_JSON(type, __VA_ARGS__)
struct PassedOn {
  std::int64_t id;
  std::int64_t customer_id;
  LISTED(PassedOn, id, (customer_id, "customerId"))
};

typedef struct {
  std::int64_t a;
} Unnamed;
struct Holder {
  Unnamed unnamed;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/by/:id", [](fw::Param<ById> param) -> std::string { return param->id; });
  app.post("/macro", [](fw::Body<Wrapped> body) -> Wrapped { return *body; });
  app.post("/passed-on", [](fw::Body<PassedOn> body) -> PassedOn { return *body; });
  app.post("/unnamed", [](fw::Body<Holder> body) -> Holder { return *body; });
});
