#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/",
           {.validate = {.body = {{"email", fw::schema_adapter::compile_field(type_of("email"))}}}},
           create);
});
