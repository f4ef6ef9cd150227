#include <fairway/routes.hpp>

namespace {
void hello(fw::Request&, fw::Response& res) { res.json(TEXT); }
}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get(FROM_SHELL_OPTION, hello);
#ifndef NDEBUG
  app.get("/debug", hello);
#endif
#ifdef OF_THE_CONFIGURATION
  app.get("/configuration", hello);
#endif
#if __cplusplus > 202002L
  app.get("/c++23", hello);
#endif
#ifdef FROM_GENERATOR_EXPRESSION
  app.get("/generator-expression", hello);
#endif
#ifdef OF_THE_FILE
  app.get("/file", hello);
#endif
#ifdef AGAIN
  app.get("/again", hello);
#endif
});
