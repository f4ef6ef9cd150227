// The requests that every application gets: by clients that differ in one thing, repeated,
// conditional, and with HEAD.
#pragma once

#include <random>

#include "application.hpp"
#include "checks.hpp"
#include "report.hpp"

namespace pairs {

/// Sends the requests for each kind of the application, and checks all responses. `random` shuffles
/// the clients; null: a fixed order.
void walk(Application& app, std::mt19937* random, Report& report);

/// Sends the same requests to an application in process and to one on a port.
void compare_with_socket(const Plan& plan, Report& report);

}  // namespace pairs
