#include "http/http2/session_callbacks.hpp"

#include <algorithm>
#include <new>
#include <string_view>

#include "http/http2/http2_session.hpp"
#include "http/socket.hpp"

namespace fw::http {
namespace {

std::string_view view_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

/// Called with the lock of the session. They must not throw.
struct SessionCallbacks {
  static Http2Session& session_of(void* data) { return *static_cast<Http2Session*>(data); }
  /// Null for a stream that was refused.
  static Http2Stream* stream_of(nghttp2_session* session, std::int32_t id) {
    return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }
  template <class Action>
  static int guarded(const Action& action) noexcept {
    try {
      action();
    } catch (...) {
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return 0;
  }
  /// The same for a part of a frame that has been received: nothing follows the end of a session.
  template <class Action>
  static int received(void* data, const Action& action) noexcept {
    const int result = guarded(action);
    return session_of(data).is_over_ ? NGHTTP2_ERR_CALLBACK_FAILURE : result;
  }

  static int on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      if (head->type == NGHTTP2_CONTINUATION) {
        if (!session.bounds_.take_continuation()) session.end_for_flood();
        return;
      }
      session.bounds_.end_continuations();
      session.head_since_ = 0;
      if (head->type == NGHTTP2_PRIORITY) {
        // The library ignores these frames (RFC 9113, 5.3.2).
        if (head->stream_id == 0) session.terminate(NGHTTP2_PROTOCOL_ERROR);
        session.count_useless_frame();
      } else if (head->type == NGHTTP2_HEADERS) {
        session.terminate_for(session.closed_.check_frame(head->stream_id, true));
      }
    });
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      session.head_since_ = coarse_now();
      if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) session.begin_stream(frame->hd.stream_id);
    });
  }

  static int on_header(nghttp2_session* library, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                       std::size_t value_size, std::uint8_t, void* data) {
    // Trailers are checked by the library, and not used.
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    return received(data, [&] {
      Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
      if (stream == nullptr) return;
      stream->fields_.add(view_of(name, name_size), view_of(value, value_size),
                          session_of(data).context().options, stream->head_);
    });
  }

  /// A field with characters that it must not have makes the request malformed.
  static int on_invalid_header(nghttp2_session* library, const nghttp2_frame* frame,
                               const std::uint8_t*, std::size_t, const std::uint8_t*, std::size_t,
                               std::uint8_t, void*) {
    nghttp2_submit_rst_stream(library, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                              NGHTTP2_PROTOCOL_ERROR);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  static int on_frame_received(nghttp2_session* library, const nghttp2_frame* frame, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
      const bool is_ack = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
      bool is_useful = false;
      switch (frame->hd.type) {
        case NGHTTP2_HEADERS: {
          session.head_since_ = 0;
          is_useful = true;
          Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
          if (stream == nullptr) break;
          if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
            session.finish_head(*stream, ends);
          } else if (ends) {
            session.end_body(*stream, std::nullopt);
          }
          break;
        }
        case NGHTTP2_DATA: {
          is_useful = ends || frame->hd.length > frame->data.padlen;
          Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
          if (ends && stream != nullptr) session.end_body(*stream, std::nullopt);
          break;
        }
        case NGHTTP2_PING:
          if (is_ack) session.note_ping_ack(view_of(frame->ping.opaque_data, 8));
          break;
        case NGHTTP2_RST_STREAM: {
          is_useful = true;  // counted when the stream is closed
          Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
          if (stream != nullptr) stream->is_reset_by_client_ = true;
          break;
        }
        default:
          break;
      }
      if (is_useful) {
        session.bounds_.note_useful_frame();
      } else if (frame->hd.type != NGHTTP2_PRIORITY) {
        session.count_useless_frame();
      }
    });
  }

  static int on_data(nghttp2_session* library, std::uint8_t, std::int32_t id,
                     const std::uint8_t* bytes, std::size_t size, void* data) {
    return received(data, [&] {
      nghttp2_session_consume_connection(library, size);
      Http2Stream* const stream = stream_of(library, id);
      if (stream != nullptr) session_of(data).add_data(*stream, view_of(bytes, size));
    });
  }

  static int on_stream_close(nghttp2_session* library, std::int32_t id, std::uint32_t error,
                             void* data) {
    return guarded([&] {
      Http2Stream* const stream = stream_of(library, id);
      if (stream == nullptr) return;
      Http2Session& session = session_of(data);
      session.head_since_ = 0;
      const bool is_canceled = error != NGHTTP2_NO_ERROR || !stream->has_sent_end_;
      const bool is_ours = stream->is_reset_;
      stream->is_reset_ = is_ours || (error != NGHTTP2_NO_ERROR && !stream->is_reset_by_client_);
      session.close_stream(*stream, is_canceled);
      if (is_canceled && !is_ours && !session.has_failed_ &&
          !session.bounds_.take_reset(coarse_now())) {
        session.end_for_flood();
      }
    });
  }

  /// The library resets the stream, or ends the session.
  static int on_invalid_frame(nghttp2_session*, const nghttp2_frame*, int, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      if (!session.bounds_.take_reset(coarse_now())) session.end_for_flood();
    });
  }

  static int on_frame_sent(nghttp2_session* library, const nghttp2_frame* frame, void* data) {
    return guarded([&] {
      const auto type = frame->hd.type;
      if (type != NGHTTP2_DATA && type != NGHTTP2_HEADERS) return;
      Http2Session& session = session_of(data);
      session.bounds_.note_useful_frame();
      if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
      Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
      if (stream != nullptr) session.note_end_sent(*stream);
    });
  }

  /// How many bytes of the output can be in the next frame.
  static ssize_t read_output(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t length,
                             std::uint32_t* flags, nghttp2_data_source* source, void* data) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    auto& output = stream.output_;
    const std::size_t left = output.bytes().size();
    if (left == 0 && !output.is_last) {
      output.is_deferred = true;
      const int result = guarded([&] { session_of(data).tasks_.request_production(stream); });
      return result != 0 ? result : NGHTTP2_ERR_DEFERRED;
    }
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (left <= length && output.is_last) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(std::min(left, length));
  }

  static int send_data(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head,
                       std::size_t length, nghttp2_data_source* source, void* data) {
    return guarded([&] {
      constexpr std::size_t kFrameHead = 9;
      Http2Session& session = session_of(data);
      auto& stream = *static_cast<Http2Stream*>(source->ptr);
      auto& output = stream.output_;
      session.output_.append(view_of(head, kFrameHead), output.bytes().substr(0, length));
      output.begin += length;
      output.sent += length;
      output.progress_at = coarse_now();
      if (output.begin < output.content.size()) return;
      output.content = {};
      output.begin = 0;
      output.share.release();
      session.tasks_.request_production(stream);
    });
  }
};

const nghttp2_session_callbacks* session_callbacks() {
  static const nghttp2_session_callbacks* const kTable = [] {
    using Callbacks = SessionCallbacks;
    nghttp2_session_callbacks* made = nullptr;
    if (nghttp2_session_callbacks_new(&made) != 0) throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_begin_frame_callback(made, Callbacks::on_begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, Callbacks::on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(made, Callbacks::on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(made, Callbacks::on_invalid_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, Callbacks::on_frame_received);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, Callbacks::on_invalid_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Callbacks::on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, Callbacks::on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(made, Callbacks::on_frame_sent);
    nghttp2_session_callbacks_set_send_data_callback(made, Callbacks::send_data);
    return made;
  }();
  return kTable;
}

nghttp2_data_provider output_of(Http2Stream& stream) {
  return {{.ptr = &stream}, SessionCallbacks::read_output};
}

}  // namespace fw::http
