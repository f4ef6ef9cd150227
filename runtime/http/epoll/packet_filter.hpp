// A kernel packet filter on a listening socket.
#pragma once

namespace fw::http {

/// Drops only the packets that begin a connection (SYN without ACK). Does nothing if the kernel
/// does not allow the filter.
void drop_first_packets(int listening_socket);

}  // namespace fw::http
