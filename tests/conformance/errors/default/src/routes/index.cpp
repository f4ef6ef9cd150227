#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/t2", [&app](fw::Request&, fw::Response&) { app.raise(404, "Thing not found"); });

  app.get("/t3", [&app](fw::Request&, fw::Response&) { app.raise(409, "Dup", "DUP_CODE"); });

  app.get("/t3n", [&app](fw::Request&, fw::Response&) { app.raise(409, "Dup", 40901); });

  app.get("/t4n", [&app](fw::Request&, fw::Response&) {
    app.raise(400, "Hi {{name}}", fw::Json({{"name", "Bob"}}), 5);
  });

  app.get("/t4d", [&app](fw::Request&, fw::Response&) {
    app.raise(400, "Bad", {{"a", 1}}, {{"field", "x"}, {"list", fw::Json::array({1})}});
  });

  app.get("/t4a", [&app](fw::Request&, fw::Response&) {
    app.raise(400, "Bad", fw::Json::object(), fw::Json::array({1, 2}));
  });

  app.get("/tobj", [&app](fw::Request&, fw::Response&) {
    app.raise(
        {.status = 402, .message = "Pay", .code = "PAY", .details = fw::Json({{"amount", 5}})});
  });

  app.get("/tapp", [&app](fw::Request&, fw::Response&) { app.raise(403, "via factory app"); });

  app.get("/http-error", [](fw::Request&, fw::Response&) {
    throw fw::HttpError(451, "Legal", "LEGAL", {{"a", 1}});
  });

  app.get("/d/depth", [&app](fw::Request&, fw::Response&) {
    app.raise(
        {.status = 400,
         .message = "D",
         .code = "D",
         .details = fw::Json(
             {{"l1",
               {{"l2",
                 {{"l3", {{"l4", {{"l5", {{"l6", {{"l7", {{"l8", {{"l9", 1}}}}}}}}}}}}}}}}}})});
  });

  app.get("/d/depthArr", [&app](fw::Request&, fw::Response&) {
    app.raise({.status = 400,
               .message = "D",
               .code = "D",
               .details = fw::Json::array({fw::Json::array({fw::Json::array(
                   {fw::Json::array({fw::Json::array({fw::Json::array({fw::Json::array(
                       {fw::Json::array({fw::Json::array({fw::Json::array({1})})})})})})})})})})});
  });

  app.get("/d/depthScalarAt8", [&app](fw::Request&, fw::Response&) {
    app.raise(
        {.status = 400,
         .message = "D",
         .code = "D",
         .details = fw::Json(
             {{"l1",
               {{"l2",
                 {{"l3",
                   {{"l4",
                     {{"l5",
                       {{"l6",
                         {{"l7", {{"l8", "v"}, {"arr", fw::Json::array({1})}}}}}}}}}}}}}}}})});
  });

  app.get("/d/scalarStr", [&app](fw::Request&, fw::Response&) {
    app.raise({.status = 400, .message = "D", .code = "D", .details = "text"});
  });

  app.get("/d/scalarNum", [&app](fw::Request&, fw::Response&) {
    app.raise({.status = 400, .message = "D", .code = "D", .details = 42});
  });

  app.get("/d/scalarBool", [&app](fw::Request&, fw::Response&) {
    app.raise({.status = 400, .message = "D", .code = "D", .details = false});
  });

  app.get("/d/emptyObj", [&app](fw::Request&, fw::Response&) {
    app.raise({.status = 400, .message = "D", .code = "D", .details = fw::Json::object()});
  });

  app.get("/d/emptyArr", [&app](fw::Request&, fw::Response&) {
    app.raise({.status = 400, .message = "D", .code = "D", .details = fw::Json::array({})});
  });

  app.get("/d/nul", [&app](fw::Request&, fw::Response&) {
    app.raise({.status = 400, .message = "D", .code = "D", .details = fw::Json({{"a", nullptr}})});
  });

  app.get("/t4", [&app](fw::Request&, fw::Response&) {
    app.raise(400, "Hello {{name}}", fw::Json({{"name", "Bob"}}), "CODE_X");
  });

  app.get("/t500", [&app](fw::Request&, fw::Response&) { app.raise(500, "Secret cause"); });

  app.get("/t503", [&app](fw::Request&, fw::Response&) { app.raise(503, "Down", "SVC"); });

  app.get("/e", [](fw::Request&, fw::Response&) { throw std::runtime_error("secret text"); });

  app.get("/t200", [&app](fw::Request&, fw::Response&) { app.raise(200, "weird"); });

  app.get("/t999", [&app](fw::Request&, fw::Response&) { app.raise(999, "weird"); });

  app.get("/e-str", [](fw::Request&, fw::Response&) { throw std::string("a text"); });
});
