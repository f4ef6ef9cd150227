FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.frontend = {.page = "users", .mode = "revalidate", .revalidate = 60}},
          list);
});
