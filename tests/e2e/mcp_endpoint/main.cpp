// A server whose routes are tools, for clients in other processes.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.use(fw::auth({.verify = [](std::string_view credential, fw::Request&) {
    std::optional<fw::AuthIdentity> identity;
    if (credential == "good") identity = fw::AuthIdentity{.user_id = "ann"};
    return identity;
  }}));
  app.mount(fairway_app());
  return app.listen();
}
