#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.auth = true,
           .cache = {{.ttl = 5000,
                      .partition_key = [](fw::Request& req) { return req.auth().user_id; }}}},
          list);
});
