#include <fairway/routes.hpp>

#ifndef SECOND
#error "these are the flags of the other flags.cpp"
#endif

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/second", [](fw::Request&, fw::Response& res) { res.json(2); });
});
