// Responds before the request has been validated.
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_middleware(
    [](fw::Request&, fw::Response& res, fw::Next) { res.json({{"id", 1}, {"name", "a"}}); });
