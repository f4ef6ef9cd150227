FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.frontend = {.page = "users", .mode = "static", .revalidate = 60}},
          list);
});
