// Accounts with passwords, sessions and avatars, and a page that uses them.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include <string>

#include "database/database.hpp"
#include "services/account_store.hpp"
#include "services/avatars.hpp"
#include "services/passwords.hpp"

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  const fw::Json& settings = app.config().app;
  auto& database = app.services().add<Database>(settings.value("database", "accounts.db"),
                                                AccountStore::kSchema);
  app.services().add<Passwords>();
  app.services().add<AccountStore>(database);
  app.services().add<Avatars>(settings.value("avatars", "avatars"));
  app.use(fw::auth({.source = "session", .verify = [](std::string_view id, fw::Request&) {
                      return std::optional(fw::AuthIdentity{.user_id = std::string(id)});
                    }}));
  app.mount(fairway_app());
  return app.listen();
}
