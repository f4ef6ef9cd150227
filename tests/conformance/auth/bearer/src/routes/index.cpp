#include <fairway/fairway.hpp>

#include <stdexcept>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/who", answers::identity);
  app.get("/true", {.auth = true}, answers::identity);
  app.get("/obj", {.auth = {{}}}, answers::identity);
  app.get("/opt", {.auth = {{.required = false}}}, answers::identity);
  app.get("/false", {.auth = false}, answers::identity);
  app.get("/roleAny", {.auth = {{.roles = {"admin", "root"}}}}, answers::identity);
  app.get("/roleAll", {.auth = {{.roles = {"admin", "root"}, .mode = "all"}}}, answers::identity);
  app.get("/roleAll2", {.auth = {{.roles = {"admin", "user"}, .mode = "all"}}}, answers::identity);
  app.get("/scope", {.auth = {{.scopes = {"write"}}}}, answers::identity);
  app.get("/both", {.auth = {{.roles = {"user"}, .scopes = {"write"}}}}, answers::identity);
  app.get("/perm", {.auth = {{.permissions = {"doc.read"}}}}, answers::identity);
  app.get("/permAll", {.auth = {{.permissions = {"doc.read", "doc.write"}, .mode = "all"}}},
          answers::identity);
  app.get("/permObj",
          {.auth = {{.permissions = {{"doc.read",
                                      [](fw::Request& req) -> fw::Json {
                                        return req.query("r").value_or("");
                                      },
                                      fw::Json{{"c", 1}}}}}}},
          answers::identity);
  app.get("/permAny", {.auth = {{.permissions = {"doc.write", "doc.read"}}}}, answers::identity);
  app.get("/permExplode", {.auth = {{.permissions = {"explode"}}}}, answers::identity);
  app.get("/empty", {.auth = {{.roles = {}, .scopes = {}, .permissions = {}}}}, answers::identity);
  app.get("/optRole", {.auth = {{.required = false, .roles = {"admin"}}}}, answers::identity);
  app.get("/check",
          {.auth = {{.check = [](fw::Request&,
                                 fw::AuthContext& auth) { return auth.user_id == "1"; }}}},
          answers::identity);
  app.get("/checkThrow", {.auth = {{.check = [](fw::Request&, fw::AuthContext&) -> bool {
                            throw std::runtime_error("the check failed");
                          }}}},
          answers::identity);
  app.get(
      "/checkOptional",
      {.auth = {{.required = false, .check = [](fw::Request&, fw::AuthContext&) { return true; }}}},
      answers::identity);
});
