// Ports of this machine, on which programs listen that this one starts.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace fairway::process {

/// A free port of 127.0.0.1.
std::uint16_t free_port();

/// Whether a process listens on that port of 127.0.0.1.
bool accepts_connections(std::uint16_t port);

/// Whether a process of the process group listens on that port: another program may have taken it.
bool listens_on(pid_t group, std::uint16_t port);

}  // namespace fairway::process
