// The values of the configuration, in every place of a page, by every way in which data gets there.
#include <fairway/fairway.hpp>

#include <string>
#include <utility>
#include <vector>

#include "many.routes.hpp"

namespace {

struct Value {
  std::string v;
  FW_JSON(Value, v)
};

struct Values {
  std::vector<Value> values;
  FW_JSON(Values, values)
};

Values configured(const fw::Router& app) {
  Values data;
  for (const fw::Json& value : app.config().app.at("values")) data.values.push_back({value});
  return data;
}

/// Only rendered: by generated code.
struct PlainValue {
  std::string v;
};

struct PlainValues {
  std::vector<PlainValue> values;
};

const fw::SchemaMap kValues = {{"values", fw::array_of({{"v", "string"}})}};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/tree", {.docs = {.hidden = true}}, [&app](fw::Request&, fw::Response& res) {
    res.render("many", fw::Json(configured(app)));
  });

  app.get("/struct", {.docs = {.hidden = true}},
          [&app](fw::Request&, fw::Response& res) { res.render("many", configured(app)); });

  app.get("/plain", {.docs = {.hidden = true}}, [&app](fw::Request&, fw::Response& res) {
    PlainValues data;
    for (Value& value : configured(app).values) data.values.push_back({std::move(value.v)});
    res.render("many", data);
  });

  app.get("/declared", {.docs = {.hidden = true}, .frontend = {.data = kValues}},
          [&app](fw::Request&, fw::Response& res) { res.render("many", configured(app)); });

  app.get("/cached", {.cache = 60'000, .docs = {.hidden = true}},
          [&app](fw::Request&, fw::Response& res) { res.render("many", configured(app)); });

  app.get("/renewed",
          {.docs = {.hidden = true}, .frontend = {.mode = "revalidate", .revalidate = 3}},
          [&app](fw::Request&, fw::Response& res) { res.render("many", configured(app)); });

  app.get("/error", {.docs = {.hidden = true}}, [&app](fw::Request&, fw::Response&) {
    std::string message;
    for (const Value& value : configured(app).values) message += value.v + " ";
    app.raise(409, message);
  });
});
