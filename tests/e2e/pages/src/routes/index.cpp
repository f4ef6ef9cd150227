// A value of the client in every place where a page may have one. There is no security policy, so
// that nothing but the escaping keeps it from running.
#include <fairway/fairway.hpp>

#include <string>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.validate = {.query = {{"v", "string"}}},
           .docs = {.summary = "A value in every place", .operation_id = "showPlaces"}},
          [](fw::Request& req, fw::Response& res) {
            const std::string value = req.valid(fw::Location::query)["v"];
            res.render("places",
                       {{"v", value}, {"list", {value, value}}, {"object", {{value, value}}}},
                       {.seo = {{"title", value},
                                {"canonical", value},
                                {"x", value},
                                {"jsonLd", {{"name", value}}}}});
          });
});
