// A filter of the kernel on a listening socket.
#pragma once

namespace fw::http {

/// Drops the packets that begin a connection (SYN without ACK), and only these. Where the kernel
/// does not allow the filter, nothing happens.
void drop_first_packets(int listening_socket);

}  // namespace fw::http
