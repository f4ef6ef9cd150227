#include <fairway/routes.hpp>

#include "hello.routes.hpp"  // generated: the code of the types that this file defines

namespace {

struct Person {
  fw::Field<"string:1-50"> name;
};

struct Greeting {
  std::string greeting;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:name", {.docs = {.summary = "Greet somebody", .operation_id = "greet"}},
          [](fw::Param<Person> person) -> Greeting {
            return {.greeting = "Hello, " + person->name.value() + "!"};
          });
});
