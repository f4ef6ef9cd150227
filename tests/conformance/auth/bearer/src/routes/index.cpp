#include <fairway/fairway.hpp>

#include <stdexcept>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/who", responses::identity);
  app.get("/true", {.auth = true}, responses::identity);
  app.get("/obj", {.auth = {{}}}, responses::identity);
  app.get("/opt", {.auth = {{.required = false}}}, responses::identity);
  app.get("/false", {.auth = false}, responses::identity);
  app.get("/roleAny", {.auth = {{.roles = {"admin", "root"}}}}, responses::identity);
  app.get("/roleAll", {.auth = {{.roles = {"admin", "root"}, .mode = "all"}}}, responses::identity);
  app.get("/roleAll2", {.auth = {{.roles = {"admin", "user"}, .mode = "all"}}},
          responses::identity);
  app.get("/scope", {.auth = {{.scopes = {"write"}}}}, responses::identity);
  app.get("/both", {.auth = {{.roles = {"user"}, .scopes = {"write"}}}}, responses::identity);
  app.get("/perm", {.auth = {{.permissions = {"doc.read"}}}}, responses::identity);
  app.get("/permAll", {.auth = {{.permissions = {"doc.read", "doc.write"}, .mode = "all"}}},
          responses::identity);
  app.get("/permObj",
          {.auth = {{.permissions = {{"doc.read",
                                      [](fw::Request& req) -> fw::Json {
                                        return req.query("r").value_or("");
                                      },
                                      fw::Json{{"c", 1}}}}}}},
          responses::identity);
  app.get("/permAny", {.auth = {{.permissions = {"doc.write", "doc.read"}}}}, responses::identity);
  app.get("/permExplode", {.auth = {{.permissions = {"explode"}}}}, responses::identity);
  app.get("/empty", {.auth = {{.roles = {}, .scopes = {}, .permissions = {}}}},
          responses::identity);
  app.get("/optRole", {.auth = {{.required = false, .roles = {"admin"}}}}, responses::identity);
  app.get("/check",
          {.auth = {{.check = [](fw::Request&,
                                 fw::AuthContext& auth) { return auth.user_id == "1"; }}}},
          responses::identity);
  app.get("/checkThrow", {.auth = {{.check = [](fw::Request&, fw::AuthContext&) -> bool {
                            throw std::runtime_error("the check failed");
                          }}}},
          responses::identity);
  app.get(
      "/checkOptional",
      {.auth = {{.required = false, .check = [](fw::Request&, fw::AuthContext&) { return true; }}}},
      responses::identity);
});
