#include "http/epoll/packet_filter.hpp"

#include <array>
#include <cstdint>
#include <linux/filter.h>
#include <sys/socket.h>

namespace fw::http {

void drop_first_packets(int listening_socket) {
  constexpr std::uint32_t kFlagsOffset = 13;
  constexpr std::uint32_t kSyn = 0x02;
  constexpr std::uint32_t kAck = 0x10;
  std::array<sock_filter, 5> program = {{
      {BPF_LD | BPF_B | BPF_ABS, 0, 0, kFlagsOffset},
      {BPF_ALU | BPF_AND | BPF_K, 0, 0, kSyn | kAck},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, kSyn},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0xFFFF'FFFF},
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  // If the kernel does not allow it, connections between the last accept and the close are reset.
  setsockopt(listening_socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

}  // namespace fw::http
