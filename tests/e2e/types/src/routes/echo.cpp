#include <fairway/fairway.hpp>

#include <limits>
#include <string_view>

#include "../models/defaults.hpp"
#include "../models/order.hpp"
#include "echo.routes.hpp"

namespace {

struct ReadingKind {
  std::string kind;
};

struct WideQuery {
  std::int64_t first = 0;
};

/// More members than one word has bits.
struct Wide {
  std::int64_t m00, m01, m02, m03, m04, m05, m06, m07, m08, m09;
  std::int64_t m10, m11, m12, m13, m14, m15, m16, m17, m18, m19;
  std::int64_t m20 = 1, m21 = 1, m22 = 1, m23 = 1, m24 = 1, m25 = 1, m26 = 1, m27 = 1, m28 = 1,
               m29 = 1;
  std::int64_t m30, m31, m32, m33, m34, m35, m36, m37, m38, m39;
  std::int64_t m40, m41, m42, m43, m44, m45, m46, m47, m48, m49;
  std::int64_t m50 = 1, m51 = 1, m52 = 1, m53 = 1, m54 = 1, m55 = 1, m56 = 1, m57 = 1, m58 = 1,
               m59 = 1;
  std::int64_t m60, m61, m62, m63, m64, m65, m66, m67, m68, m69;
  std::int64_t m70, m71, m72, m73, m74, m75, m76, m77, m78, m79;
  std::int64_t m80 = 1, m81 = 1, m82 = 1, m83 = 1, m84 = 1, m85 = 1, m86 = 1, m87 = 1, m88 = 1,
               m89 = 1;
  std::int64_t m90, m91, m92, m93, m94, m95, m96, m97, m98, m99;
  std::int64_t m100, m101, m102, m103, m104, m105, m106, m107, m108, m109;
  std::int64_t m110 = 1, m111 = 1, m112 = 1, m113 = 1, m114 = 1, m115 = 1, m116 = 1, m117 = 1,
               m118 = 1, m119 = 1;
  std::int64_t m120, m121, m122, m123, m124, m125, m126, m127, m128, m129;
  std::int64_t m130, m131, m132, m133, m134, m135, m136, m137, m138, m139;
  std::int64_t m140 = 1, m141 = 1, m142 = 1, m143 = 1, m144 = 1, m145 = 1, m146 = 1, m147 = 1,
               m148 = 1, m149 = 1;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/everything", {.docs = {.operation_id = "echoEverything"}},
           [](fw::Body<shop::Everything> body, fw::Response& res) { res.json(*body); });
  app.post("/folder", {.docs = {.operation_id = "echoFolder"}},
           [](fw::Body<shop::Folder> body) -> shop::Folder { return *body; });
  app.post("/items", {.docs = {.operation_id = "echoItems"}},
           [](fw::Body<std::vector<shop::Item>> body) -> std::vector<shop::Item> { return *body; });
  app.post("/renamed", {.docs = {.operation_id = "echoRenamed"}},
           [](fw::Body<shop::Renamed> body) -> shop::Renamed { return *body; });
  // Names of types in a parameter pack.
  app.post("/payments", [](fw::Body<std::vector<std::variant<shop::Card, shop::Transfer>>> body,
                           fw::Response& res) { res.json(*body); });
  app.post("/heir", [](fw::Body<shop::Heir> body, fw::Response& res) { res.json(*body); });
  app.post("/sizes", [](fw::Body<shop::Sizes> body) -> shop::Sizes { return *body; });
  app.get("/sizes", [](fw::Query<shop::SizeQuery> query) -> shop::Sizes {
    shop::Sizes sizes{.least = query->least};
    if (query->most) sizes.most = *query->most;
    return sizes;
  });
  app.get("/wide", [](fw::Query<WideQuery> query) -> Wide {
    Wide wide = {};
    wide.m00 = query->first;
    return wide;
  });
  app.post("/wide", [](fw::Body<Wide> body) -> Wide { return *body; });
  app.get("/readings/:kind", [](fw::Param<ReadingKind> param) -> shop::Reading {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (param->kind == "value") return {.value = kNone};
    if (param->kind == "list") return {.list = {1, std::numeric_limits<float>::infinity()}};
    if (param->kind == "maybe") return {.maybe = -std::numeric_limits<double>::infinity()};
    return {};
  });
  app.get("/declared-readings/:kind",
          {.validate = {.param = fw::type<ReadingKind>},
           .responses = {{"200", fw::type<shop::Reading>}}},
          [](fw::Request&, fw::Response& res) {
            res.json(shop::Reading{.maybe = std::numeric_limits<double>::quiet_NaN()});
          });
  app.post("/lists", [](fw::Body<shop::ListDefaults> body) -> shop::ListDefaults { return *body; });
  app.post("/defaults", [](fw::Body<shop::Defaults> body) -> shop::Defaults { return *body; });
  app.get("/text", [] { return "text"; });
  app.get("/view", []() -> fw::Status<202, std::string_view> { return std::string_view("view"); });
  app.post("/options",
           {.validate = {.body = fw::type<shop::NewOrder>},
            .responses = {{"200", fw::type<shop::NewOrder>}}},
           [](fw::Request& req, fw::Response& res) { res.json(req.valid(fw::Location::body)); });
});
