#include <algorithm>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "http/buffer_budget.hpp"
#include "http/http2/http2_fields.hpp"
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
    return session_of(data).ending_.is_terminated() ? NGHTTP2_ERR_CALLBACK_FAILURE : result;
  }

  /// Whether nothing is done for a frame: it has neither a head nor content, or its stream has
  /// ended.
  static bool is_useless(const Http2Session& session, const nghttp2_frame_hd& head) {
    if (head.type != NGHTTP2_HEADERS && head.type != NGHTTP2_DATA) return true;
    const bool ends = (head.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    return session.closed_.has_ended(head.stream_id) ||
           (head.type == NGHTTP2_DATA && head.length == 0 && !ends);
  }

  static int on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      if (head->type == NGHTTP2_CONTINUATION) {
        if (!session.bounds_.take_continuation()) session.end_for_flood(Flood::continuations);
        return;
      }
      session.bounds_.end_continuations();
      if (head->type == NGHTTP2_HEADERS) {
        session.terminate_for(session.closed_.check_frame(head->stream_id, true));
      } else if (head->type == NGHTTP2_PRIORITY && head->stream_id == 0) {
        session.ending_.terminate(NGHTTP2_PROTOCOL_ERROR);  // the library ignores these frames
      }
      // `receive_frames` counts the types of extensions.
      const bool is_extension = head->type > NGHTTP2_CONTINUATION;
      if (!is_extension && is_useless(session, *head)) session.count_useless_frame();
      const bool is_reset = head->type == NGHTTP2_RST_STREAM;
      if (is_reset && session.closed_.has_ended(head->stream_id) &&
          !session.closed_.take_late_reset(head->stream_id)) {
        session.count_reset();
      }
    });
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      session.bounds_.begin_head();
      if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) session.begin_stream(frame->hd.stream_id);
    });
  }

  static int on_header(nghttp2_session* library, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                       std::size_t value_size, std::uint8_t, void* data) {
    return received(data, [&] {
      Http2Session& session = session_of(data);
      if (!session.bounds_.take_field(name_size + value_size)) {
        return session.end_for_flood(Flood::fields);
      }
      // Trailers are checked by the library, and not used.
      if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return;
      Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
      if (stream == nullptr) return;
      stream->fields_.add(view_of(name, name_size), view_of(value, value_size),
                          session.context().options, stream->head_);
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
      switch (frame->hd.type) {
        case NGHTTP2_HEADERS: {
          session.bounds_.note_useful_frame();
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
          if (ends || frame->hd.length > frame->data.padlen) {
            session.bounds_.note_useful_frame();
          } else if (frame->hd.length > 0) {
            session.count_useless_frame();  // it is only padding
          }
          Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
          if (ends && stream != nullptr) session.end_body(*stream, std::nullopt);
          break;
        }
        case NGHTTP2_PING:
          if (is_ack) session.ending_.note_ping_ack(view_of(frame->ping.opaque_data, 8));
          break;
        case NGHTTP2_RST_STREAM: {
          Http2Stream* const stream = stream_of(library, frame->hd.stream_id);
          if (stream != nullptr) stream->is_reset_by_client_ = true;
          break;
        }
        case NGHTTP2_SETTINGS: {
          // The first ones decide; afterwards, the setting must not change.
          if (is_ack || std::exchange(session.has_settings_, true)) break;
          const std::span entries(frame->settings.iv, frame->settings.niv);
          session.has_new_priorities_ = std::ranges::any_of(entries, [](const auto& entry) {
            return entry.settings_id == NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES;
          });
          break;
        }
        case NGHTTP2_PRIORITY_UPDATE: {
          const auto& update = *static_cast<const nghttp2_ext_priority_update*>(frame->ext.payload);
          Http2Stream* const stream = stream_of(library, update.stream_id);
          if (stream == nullptr) break;
          stream->priority_ = view_of(update.field_value, update.field_value_len);
          stream->output_.shares_turns = false;  // the library follows the client again
          break;
        }
        default:
          break;
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
      const bool is_canceled = error != NGHTTP2_NO_ERROR || !stream->has_sent_end_;
      const bool is_ours = stream->is_reset_;
      stream->is_reset_ = is_ours || (error != NGHTTP2_NO_ERROR && !stream->is_reset_by_client_);
      session.close_stream(*stream, is_canceled);
      if (is_canceled && !is_ours && !session.has_failed_) session.count_reset();
    });
  }

  /// The library resets the stream, or ends the session.
  static int on_invalid_frame(nghttp2_session*, const nghttp2_frame*, int, void* data) {
    return received(data, [&] { session_of(data).count_reset(); });
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

  /// Lets a large response take turns with others of its urgency, incremental or not.
  static void share_turns(const Http2Session& session, Http2Stream& stream) {
    stream.output_.shares_turns = true;
    // By the priorities of RFC 7540, the library takes turns anyway, and must not get others.
    if (!session.has_new_priorities_) return;
    const auto field = stream.head_.fields.find("priority");
    const nghttp2_extpri priority{
        .urgency = urgency_of(stream.priority_ ? *stream.priority_ : field.value_or("")), .inc = 1};
    nghttp2_session_change_extpri_stream_priority(session.session_, stream.id_, &priority, 0);
  }

  static int send_data(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head,
                       std::size_t length, nghttp2_data_source* source, void* data) {
    return guarded([&] {
      constexpr std::size_t kFrameHead = 9;
      Http2Session& session = session_of(data);
      auto& stream = *static_cast<Http2Stream*>(source->ptr);
      auto& output = stream.output_;
      session.output_.append(view_of(head, kFrameHead), output.bytes().substr(0, length));
      const auto now = coarse_now();
      output.begin += length;
      output.sent += length;
      output.progress.note_frame(length, session.output_.end(), now);
      session.deadlines_.note_data(stream, now);
      if (output.sent >= kUnsharedSize && !output.shares_turns) share_turns(session, stream);
      if (output.begin < output.content.size()) return;
      free_memory(output.content);
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
