#include <fairway/fairway.hpp>

#include "../limits.hpp"
#include "notes.routes.hpp"

namespace {
constexpr auto kCopies = "integer:1-3?";
}

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(kListPath, [](fw::Request&, fw::Response& res) { res.json(fw::Json::array()); });

  app.post("/", {.validate = {.body = {{"text", kText}, {"copies", kCopies}}}},
           [](fw::Request& req, fw::Response& res) {
             const auto& body = req.valid<routes::notes::CreateNotes::Body>();
             res.json({{"text", body.text}, {"copies", body.copies.value_or(1)}}, 201);
           });
});
