#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/files", list);
  app.get("/files/:folder/*path", read_file);
});
