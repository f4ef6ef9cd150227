// The words of a registration, `app.get("/:id", {.validate = {.param = …}}, …)`, that readers of
// source files look for.
#pragma once

#include <array>
#include <string_view>

namespace fairway::model {

/// A function of fw::Router that registers a route.
struct RegistrationMethod {
  std::string_view function;  ///< "del"
  std::string_view http;      ///< "DELETE"; "SOCKET" for a socket, which is opened with GET
};

inline constexpr std::array<RegistrationMethod, 8> kRegistrationMethods = {{{"get", "GET"},
                                                                            {"post", "POST"},
                                                                            {"put", "PUT"},
                                                                            {"patch", "PATCH"},
                                                                            {"del", "DELETE"},
                                                                            {"head", "HEAD"},
                                                                            {"options", "OPTIONS"},
                                                                            {"socket", "SOCKET"}}};

/// The members of `validate`: the locations of a request.
inline constexpr std::array<std::string_view, 5> kRequestLocations = {"param", "query", "header",
                                                                      "cookie", "body"};

}  // namespace fairway::model
