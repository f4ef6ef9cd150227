#include <fairway/fairway.hpp>

extern void users(fw::Router& app);
FW_EXPORT_DEFAULT = fw::define_routes(users);
