#!/usr/bin/env python3
"""Rules of RFC 9113 and RFC 7541, each sent to a server by an independent implementation of HTTP/2
(hyperframe and hpack, of python3-h2): cases.py SERVER. A case passes if the server ends with the expected response or error.
cases.py SERVER docs/http2.md also compares the table of that page, and shows it if it differs."""

import socket
import subprocess
import sys

from hpack import Encoder, Decoder
from hyperframe import frame as f

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
START = PREFACE + f.SettingsFrame(0).serialize()
PING = b"\0\0\x08\6\0\0\0\0\0" + b"the last"
ERRORS = {0: "NO_ERROR", 1: "PROTOCOL_ERROR", 2: "INTERNAL_ERROR", 3: "FLOW_CONTROL_ERROR",
          5: "STREAM_CLOSED", 6: "FRAME_SIZE_ERROR", 7: "REFUSED_STREAM", 8: "CANCEL",
          9: "COMPRESSION_ERROR", 11: "ENHANCE_YOUR_CALM"}
GET = [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/")]
POST = [(":method", "POST")] + GET[1:]


class Connection:
    def __init__(self, port, start):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.input = b""
        self.socket.sendall(start)
        self.bodies = {}
        self.statuses = {}

    def send(self, *frames):
        self.socket.sendall(b"".join(one if isinstance(one, bytes) else one.serialize()
                                     for one in frames))

    def head(self, stream, fields, flags=("END_HEADERS", "END_STREAM")):
        one = f.HeadersFrame(stream, self.encoder.encode(fields, huffman=False))
        for flag in flags:
            one.flags.add(flag)
        return one

    def receive(self):
        """The next frame; None at the end of the connection."""
        while True:
            if len(self.input) >= 9:
                one, size = f.Frame.parse_frame_header(memoryview(self.input[:9]))
                if len(self.input) >= 9 + size:
                    one.parse_body(memoryview(self.input[9:9 + size]))
                    self.input = self.input[9 + size:]
                    return one
            try:
                more = self.socket.recv(65536)
            except ConnectionError:
                return None
            if not more:
                return None
            self.input += more

    def next(self, kind):
        """The next frame of a class."""
        while True:
            one = self.receive()
            if one is None or isinstance(one, kind):
                return one

    def result(self, stream):
        """How the stream, or the connection, ends: "200", "stream PROTOCOL_ERROR" or "connection
        PROTOCOL_ERROR"; "ignored" if the ACK of PING comes before."""
        while True:
            one = self.receive()
            if one is None:
                return "closed"
            if isinstance(one, f.GoAwayFrame):
                return "connection " + ERRORS.get(one.error_code, str(one.error_code))
            if isinstance(one, f.PingFrame) and one.opaque_data == PING[9:]:
                return "ignored"
            if isinstance(one, f.HeadersFrame):
                for name, value in self.decoder.decode(one.data):
                    if name == ":status":
                        self.statuses[one.stream_id] = value
            if isinstance(one, f.RstStreamFrame) and one.stream_id == stream:
                return "stream " + ERRORS.get(one.error_code, str(one.error_code))
            if isinstance(one, f.DataFrame):
                self.bodies[one.stream_id] = self.bodies.get(one.stream_id, b"") + one.data
            if one.stream_id == stream and "END_STREAM" in one.flags:
                return self.statuses[stream]


def data(stream, payload, *flags):
    one = f.DataFrame(stream, payload)
    for flag in flags:
        one.flags.add(flag)
    return one


def raw(kind, flags, stream, payload=b""):
    return (len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") +
            payload)


def setting(identifier, value):
    return raw(4, 0, 0, identifier.to_bytes(2, "big") + value.to_bytes(4, "big"))


def fields(*changed):
    return lambda c: c.send(c.head(1, list(changed)))


def frames(*sent):
    return lambda c: c.send(*sent)


def get_and(*sent):
    return lambda c: c.send(c.head(1, GET), *sent)


def post_and(*sent):
    return lambda c: c.send(c.head(1, POST, ("END_HEADERS",)), *sent)


def head_and(*sent):
    """A head that is not complete, and more."""
    def run(c):
        c.send(c.head(1, GET, ("END_STREAM",)), *sent)
    return run


def closed_and(*sent):
    """After the response."""
    def run(c):
        c.send(c.head(1, GET))
        c.result(1)
        c.send(*sent, PING)
    return run


def reset_and(*sent):
    """After a stream was reset."""
    return lambda c: c.send(c.head(1, POST, ("END_HEADERS",)), raw(3, 0, 1, b"\0\0\0\x08"), *sent, PING)


def block(encoded):
    """The head of GET, followed by bytes."""
    return lambda c: c.send(raw(1, 5, 1, c.encoder.encode(GET, huffman=False) + encoded))


def with_start(start, send):
    """Sent instead of START."""
    def run(c):
        return send(c)
    run.start = start
    return run


def too_many_streams(c):
    most = c.next(f.SettingsFrame).settings[f.SettingsFrame.MAX_CONCURRENT_STREAMS]
    for i in range(most + 1):
        c.send(c.head(2 * i + 1, POST, ("END_HEADERS",)))
    return c.result(2 * most + 1)


def smaller_stream(c):
    c.send(c.head(5, GET))
    c.result(5)
    c.send(c.head(3, GET))
    return c.result(3)


def ping(c):
    c.send(raw(6, 0, 0, b"12345678"))
    one = c.next(f.PingFrame)
    return "PING with ACK" if "ACK" in one.flags and one.opaque_data == b"12345678" else "another PING"


def unsolicited_ping(c):
    c.send(raw(6, 1, 0, b"12345678"), PING)
    return "ignored" if c.next(f.PingFrame).opaque_data == PING[9:] else "another PING with ACK"


def acknowledged_settings(c):
    while "ACK" not in c.next(f.SettingsFrame).flags:
        pass
    return "SETTINGS with ACK"


def bodies(c, count):
    sizes = [len(c.next(f.DataFrame).data) for _ in range(count)]
    return "DATA of " + " and ".join(f"{size} byte" + ("s" if size != 1 else "") for size in sizes)


def small_window(c):
    c.send(setting(4, 1), c.head(1, GET))
    return bodies(c, 1)


def last_window_counts(c):
    c.send(raw(4, 0, 0, b"\0\4\0\0\0\x64" + b"\0\4\0\0\0\1"), c.head(1, GET))
    return bodies(c, 1)


def window_after_head(c):
    c.send(setting(4, 0), c.head(1, GET))
    c.next(f.HeadersFrame)
    c.send(setting(4, 1))
    return bodies(c, 1)


def negative_window(c):
    c.send(setting(4, 3), c.head(1, GET))
    first = bodies(c, 1)
    c.send(setting(4, 2), raw(8, 0, 1, b"\0\0\0\2"))
    return first + ", then " + bodies(c, 1)


def window_updates(stream):
    grow = raw(8, 0, stream, b"\x7f\xff\xff\xff")
    return lambda c: c.send(setting(4, 0), c.head(1, POST, ("END_HEADERS",)), grow, grow)


def trailers(trailer):
    def run(c):
        c.send(c.head(1, POST, ("END_HEADERS",)), data(1, b"body"), c.head(1, trailer))
    return run


def in_pieces(c):
    encoded = c.encoder.encode(GET + [("x", "y" * 100)], huffman=False)
    first = f.HeadersFrame(1, encoded[:5])
    first.flags.add("END_STREAM")
    middle = f.ContinuationFrame(1, encoded[5:20])
    last = f.ContinuationFrame(1, encoded[20:])
    last.flags.add("END_HEADERS")
    c.send(first, middle, last)


def byte_by_byte(c):
    for byte in c.head(1, GET).serialize():
        c.send(bytes([byte]))


# section, name, what is sent, the result of stream 1
CASES = [
    ("3.4", "a request after the preface", fields(*GET), "200"),
    ("3.4", "another preface", with_start(b"INVALID * HTTP/9.9\r\n\r\nSM\r\n\r\n", lambda c: c.result(1)), "closed"),
    ("3.4", "a frame other than SETTINGS after the preface", with_start(PREFACE, fields(*GET)), "connection PROTOCOL_ERROR"),
    ("4.1", "a request byte by byte", byte_by_byte, "200"),
    ("4.1", "a frame of an unknown type is ignored", lambda c: c.send(raw(0xEE, 0xFF, 7, b"x"), c.head(1, GET)), "200"),
    ("4.1", "flags that a frame does not have are ignored", frames(raw(6, 0xFE, 0, PING[9:])), "ignored"),
    ("4.1", "the reserved bit of a stream's number is ignored", frames(raw(6, 0, 1 << 31, PING[9:])), "ignored"),
    ("4.2", "a frame above the largest size", frames(raw(0, 0, 1, b"x" * 16385)), "connection FRAME_SIZE_ERROR"),
    ("4.2", "DATA of 2^14 bytes", post_and(data(1, b"x" * 16384, "END_STREAM")), "200"),
    ("4.2", "DATA of more than 2^14 bytes", post_and(raw(0, 1, 1, b"x" * 16385)), "connection FRAME_SIZE_ERROR"),
    ("4.2", "HEADERS of more than 2^14 bytes", frames(raw(1, 5, 1, b"x" * 16385)), "connection FRAME_SIZE_ERROR"),
    ("4.3", "a head in three pieces", in_pieces, "200"),
    ("4.3", "an index that the table does not have", frames(raw(1, 5, 1, b"\xff\xff\x7f")), "connection COMPRESSION_ERROR"),
    ("4.3", "a head that ends within a field", frames(raw(1, 5, 1, b"\x40\x05x")), "connection COMPRESSION_ERROR"),
    ("4.3", "PRIORITY within a head", head_and(raw(2, 0, 1, b"\0\0\0\0\0")), "connection PROTOCOL_ERROR"),
    ("4.3", "HEADERS of another stream within a head", head_and(raw(1, 5, 3, b"\x82")), "connection PROTOCOL_ERROR"),
    ("5.1", "DATA on an idle stream", frames(data(1, b"x")), "connection PROTOCOL_ERROR"),
    ("5.1", "WINDOW_UPDATE on an idle stream", frames(raw(8, 0, 1, b"\0\0\0\1")), "connection PROTOCOL_ERROR"),
    ("5.1", "RST_STREAM on an idle stream", frames(raw(3, 0, 1, b"\0\0\0\x08")), "connection PROTOCOL_ERROR"),
    ("5.1", "CONTINUATION on an idle stream", frames(raw(9, 4, 1, b"\x82")), "connection PROTOCOL_ERROR"),
    ("5.1", "PRIORITY on an idle stream", frames(raw(2, 0, 1, b"\0\0\0\0\0"), PING), "ignored"),
    ("5.1", "DATA after the end of the request", get_and(data(1, b"x")), "connection STREAM_CLOSED"),
    ("5.1", "HEADERS after the end of the request", lambda c: c.send(c.head(1, GET), c.head(1, GET)), "connection STREAM_CLOSED"),
    ("5.1", "CONTINUATION after the end of the request", get_and(raw(9, 4, 1, b"\x82")), "connection PROTOCOL_ERROR"),
    ("5.1", "WINDOW_UPDATE after the end of the request", get_and(raw(8, 0, 1, b"\0\0\0\1")), "200"),
    ("5.1", "DATA after RST_STREAM", reset_and(data(1, b"x")), "connection STREAM_CLOSED"),
    ("5.1", "HEADERS after RST_STREAM", reset_and(raw(1, 5, 1, b"\x82\x84\x86")), "connection STREAM_CLOSED"),
    ("5.1", "CONTINUATION after RST_STREAM", reset_and(raw(9, 4, 1, b"\x82")), "connection PROTOCOL_ERROR"),
    ("5.1", "DATA after the response", closed_and(data(1, b"x")), "connection STREAM_CLOSED"),
    ("5.1", "HEADERS after the response", closed_and(raw(1, 5, 1, b"\x82\x84\x86")), "connection STREAM_CLOSED"),
    ("5.1", "CONTINUATION after the response", closed_and(raw(9, 4, 1, b"\x82")), "connection PROTOCOL_ERROR"),
    ("5.1", "WINDOW_UPDATE, PRIORITY and RST_STREAM after the response", closed_and(raw(8, 0, 1, b"\0\0\0\1"), raw(2, 0, 1, b"\0\0\0\0\0"), raw(3, 0, 1, b"\0\0\0\x08")), "ignored"),
    ("5.1.1", "a stream with an even number", lambda c: c.send(c.head(2, GET)), "connection PROTOCOL_ERROR"),
    ("5.1.1", "a stream with a number below the last one", smaller_stream, "connection PROTOCOL_ERROR"),
    ("5.1.2", "one stream more than the server allows", too_many_streams, "stream REFUSED_STREAM"),
    ("5.3.1", "HEADERS of a stream that depends on itself", frames(raw(1, 0x25, 1, b"\0\0\0\1\xff\x82\x84\x86")), "connection PROTOCOL_ERROR"),
    ("5.3.1", "PRIORITY of a stream that depends on itself", frames(raw(2, 0, 1, b"\0\0\0\1\xff"), PING), "connection PROTOCOL_ERROR"),
    ("5.4.1", "a connection error after a request", get_and(raw(6, 0, 1, b"12345678")), "connection PROTOCOL_ERROR"),
    ("5.5", "a frame of an unknown type within a head", head_and(raw(0xEE, 0, 1, b"x")), "connection PROTOCOL_ERROR"),
    ("6.1", "DATA on stream 0", frames(raw(0, 0, 0, b"x")), "connection PROTOCOL_ERROR"),
    ("6.1", "more padding than the frame has", post_and(raw(0, 8, 1, b"\x05x")), "connection PROTOCOL_ERROR"),
    ("6.1", "a padded body", post_and(raw(0, 9, 1, b"\x03body\0\0\0")), "200"),
    ("6.2", "HEADERS on stream 0", frames(raw(1, 5, 0, b"\x82")), "connection PROTOCOL_ERROR"),
    ("6.2", "more padding than the head has", frames(raw(1, 13, 1, b"\x09\x82\x84\x86")), "connection PROTOCOL_ERROR"),
    ("6.2", "a padded head with a priority", frames(raw(1, 0x2D, 1, b"\x02\0\0\0\0\xff\x82\x84\x86\x01\x01a\0\0")), "200"),
    ("6.3", "PRIORITY on stream 0", frames(raw(2, 0, 0, b"\0\0\0\1\xff")), "connection PROTOCOL_ERROR"),
    ("6.3", "PRIORITY with a wrong length", post_and(raw(2, 0, 1, b"\0\0\0\1")), "connection FRAME_SIZE_ERROR"),
    ("6.4", "RST_STREAM on stream 0", frames(raw(3, 0, 0, b"\0\0\0\x08")), "connection PROTOCOL_ERROR"),
    ("6.4", "RST_STREAM with a wrong length", post_and(raw(3, 0, 1, b"\0\0\x08")), "connection FRAME_SIZE_ERROR"),
    ("6.5", "SETTINGS on a stream", frames(raw(4, 0, 1)), "connection PROTOCOL_ERROR"),
    ("6.5", "SETTINGS with a wrong length", frames(raw(4, 0, 0, b"\0\0\0")), "connection FRAME_SIZE_ERROR"),
    ("6.5", "SETTINGS with ACK and a payload", frames(raw(4, 1, 0, b"\0\3\0\0\0\1")), "connection FRAME_SIZE_ERROR"),
    ("6.5.2", "SETTINGS_ENABLE_PUSH of 2", frames(setting(2, 2)), "connection PROTOCOL_ERROR"),
    ("6.5.2", "a window of 2^31 in SETTINGS", frames(setting(4, 1 << 31)), "connection FLOW_CONTROL_ERROR"),
    ("6.5.2", "an unknown setting is ignored", lambda c: c.send(setting(0x7777, 1), c.head(1, GET)), "200"),
    ("6.5.2", "SETTINGS_MAX_FRAME_SIZE below 2^14", frames(setting(5, 16383)), "connection PROTOCOL_ERROR"),
    ("6.5.2", "SETTINGS_MAX_FRAME_SIZE above 2^24-1", frames(setting(5, 1 << 24)), "connection PROTOCOL_ERROR"),
    ("6.5.3", "of one setting twice, the last one counts", last_window_counts, "DATA of 1 byte"),
    ("6.5.3", "SETTINGS are acknowledged", acknowledged_settings, "SETTINGS with ACK"),
    ("6.6", "PUSH_PROMISE of a client", lambda c: c.send(c.head(1, GET), raw(5, 4, 1, b"\0\0\0\2\x82")), "connection PROTOCOL_ERROR"),
    ("6.7", "PING with a wrong length", frames(raw(6, 0, 0, b"1234")), "connection FRAME_SIZE_ERROR"),
    ("6.7", "PING", ping, "PING with ACK"),
    ("6.7", "PING with ACK gets none", unsolicited_ping, "ignored"),
    ("6.7", "PING on a stream", frames(raw(6, 0, 1, b"12345678")), "connection PROTOCOL_ERROR"),
    ("6.8", "GOAWAY on a stream", frames(raw(7, 0, 1, b"\0" * 8)), "connection PROTOCOL_ERROR"),
    ("6.8", "GOAWAY of the client: the request is completed", get_and(raw(7, 0, 0, b"\0" * 8)), "200"),
    ("6.9", "WINDOW_UPDATE of 0 for the connection", frames(raw(8, 0, 0, b"\0\0\0\0")), "connection PROTOCOL_ERROR"),
    ("6.9", "WINDOW_UPDATE of 0 for a stream", post_and(raw(8, 0, 1, b"\0\0\0\0")), "connection PROTOCOL_ERROR"),
    ("6.9", "WINDOW_UPDATE with a wrong length", frames(raw(8, 0, 0, b"\0\0\1")), "connection FRAME_SIZE_ERROR"),
    ("6.9.1", "a window above 2^31-1", frames(raw(8, 0, 0, b"\x7f\xff\xff\xff")), "connection FLOW_CONTROL_ERROR"),
    ("6.9.1", "a window of 1 byte", small_window, "DATA of 1 byte"),
    ("6.9.1", "WINDOW_UPDATEs above 2^31-1 for the connection", window_updates(0), "connection FLOW_CONTROL_ERROR"),
    ("6.9.1", "WINDOW_UPDATEs above 2^31-1 for a stream", window_updates(1), "stream FLOW_CONTROL_ERROR"),
    ("6.9.2", "a window that SETTINGS change after the head", window_after_head, "DATA of 1 byte"),
    ("6.9.2", "a window below 0", negative_window, "DATA of 3 bytes, then DATA of 1 byte"),
    ("6.10", "CONTINUATION without HEADERS", frames(raw(9, 4, 1, b"\x82")), "connection PROTOCOL_ERROR"),
    ("6.10", "another frame within a head", frames(raw(1, 1, 1, b"\x82"), raw(6, 0, 0, b"12345678")), "connection PROTOCOL_ERROR"),
    ("6.10", "CONTINUATION twice", lambda c: c.send(c.head(1, GET, ("END_STREAM",)), raw(9, 0, 1, b"\0\1a\1b"), raw(9, 4, 1, b"\0\1c\1d")), "200"),
    ("6.10", "DATA between HEADERS and CONTINUATION", head_and(data(1, b"x"), raw(9, 4, 1)), "connection PROTOCOL_ERROR"),
    ("6.10", "CONTINUATION on stream 0", head_and(raw(9, 4, 0, b"\0\1a\1b")), "connection PROTOCOL_ERROR"),
    ("6.10", "CONTINUATION of a complete head", post_and(raw(9, 4, 1, b"\0\1a\1b")), "connection PROTOCOL_ERROR"),
    ("6.10", "CONTINUATION after the last one", head_and(raw(9, 4, 1), raw(9, 4, 1)), "connection PROTOCOL_ERROR"),
    ("6.10", "CONTINUATION after DATA", post_and(data(1, b"x"), raw(9, 4, 1)), "connection PROTOCOL_ERROR"),
    ("7", "GOAWAY with an unknown error: the request is completed", get_and(raw(7, 0, 0, b"\0\0\0\0\0\0\0\xff")), "200"),
    ("7", "RST_STREAM with an unknown error", lambda c: c.send(c.head(1, POST, ("END_HEADERS",)), raw(3, 0, 1, b"\0\0\0\xff"), PING), "ignored"),
    ("8.1", "trailers", trailers([("x-sum", "1")]), "200"),
    ("8.1", "a pseudo-field in trailers", trailers([(":path", "/")]), "stream PROTOCOL_ERROR"),
    ("8.1", "a second head that does not end the request", lambda c: c.send(c.head(1, POST, ("END_HEADERS",)), c.head(1, [("x-sum", "1")], ("END_HEADERS",))), "stream PROTOCOL_ERROR"),
    ("8.1", "HEAD", fields((":method", "HEAD"), *GET[1:]), "200"),
    ("8.1", "POST with a body in three parts", post_and(data(1, b"a"), data(1, b"b"), data(1, b"c", "END_STREAM")), "200"),
    ("8.1.1", "a body that is longer than its length", lambda c: c.send(c.head(1, POST + [("content-length", "2")], ("END_HEADERS",)), data(1, b"body", "END_STREAM")), "stream PROTOCOL_ERROR"),
    ("8.1.1", "a body that is shorter than its length", lambda c: c.send(c.head(1, POST + [("content-length", "9")], ("END_HEADERS",)), data(1, b"body", "END_STREAM")), "stream PROTOCOL_ERROR"),
    ("8.1.1", "a body in two parts that is shorter than its length", lambda c: c.send(c.head(1, POST + [("content-length", "9")], ("END_HEADERS",)), data(1, b"bo"), data(1, b"dy", "END_STREAM")), "stream PROTOCOL_ERROR"),
    ("8.2.1", "a field name in capitals", fields(*GET, ("X-A", "1")), "stream PROTOCOL_ERROR"),
    ("8.2.1", "a line break in a value", fields(*GET, ("x", "a\r\nb")), "stream PROTOCOL_ERROR"),
    ("8.2.1", "NUL in a value", fields(*GET, ("x", "a\0b")), "stream PROTOCOL_ERROR"),
    ("8.2.1", "a space before a value", fields(*GET, ("x", " a")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "Connection", fields(*GET, ("connection", "close")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "Transfer-Encoding", fields(*GET, ("transfer-encoding", "chunked")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "TE: trailers", fields(*GET, ("te", "trailers")), "200"),
    ("8.2.2", "TE with another value", fields(*GET, ("te", "gzip")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "Keep-Alive", fields(*GET, ("keep-alive", "1")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "Proxy-Connection", fields(*GET, ("proxy-connection", "close")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "Upgrade", fields(*GET, ("upgrade", "h2c")), "stream PROTOCOL_ERROR"),
    ("8.3", "a pseudo-field after a field", fields(*GET[:3], ("x", "y"), GET[3]), "stream PROTOCOL_ERROR"),
    ("8.3", "an unknown pseudo-field", fields(*GET, (":x", "y")), "stream PROTOCOL_ERROR"),
    ("8.3", ":status of a client", fields(*GET, (":status", "200")), "stream PROTOCOL_ERROR"),
    ("8.3.1", "no method", fields(*GET[1:]), "stream PROTOCOL_ERROR"),
    ("8.3.1", "no path", fields(*GET[:3]), "stream PROTOCOL_ERROR"),
    ("8.3.1", "an empty path", fields(*GET[:3], (":path", "")), "stream PROTOCOL_ERROR"),
    ("8.3.1", "two paths", fields(*GET, (":path", "/")), "stream PROTOCOL_ERROR"),
    ("8.3.1", "no scheme", fields(GET[0], *GET[2:]), "stream PROTOCOL_ERROR"),
    ("8.3.1", "Host instead of :authority", fields(*GET[:2], GET[3], ("host", "a")), "200"),
    ("8.3.1", "Host that differs from :authority", fields(*GET, ("host", "b")), "400"),
    ("8.3.1", "user information in :authority", fields(*GET[:2], (":authority", "u@a"), GET[3]), "400"),
    ("8.3.1", "OPTIONS with an asterisk", fields((":method", "OPTIONS"), *GET[1:3], (":path", "*")), "200"),
    ("8.3.1", "two methods", fields(*GET, (":method", "GET")), "stream PROTOCOL_ERROR"),
    ("8.3.1", "two schemes", fields(*GET, (":scheme", "http")), "stream PROTOCOL_ERROR"),
    ("8.5", "CONNECT", lambda c: c.send(c.head(1, [(":method", "CONNECT"), (":authority", "a:80")], ("END_HEADERS",))), "501"),
    ("HPACK 2.3.3", "a field with the index 0", block(b"\x80"), "connection COMPRESSION_ERROR"),
    ("HPACK 2.3.3", "a name with an index that the table does not have", block(b"\x7f\x7f\1a"), "connection COMPRESSION_ERROR"),
    ("HPACK 4.2", "a change of the table's size at the end of a head", block(b"\x20"), "connection COMPRESSION_ERROR"),
    ("HPACK 5.2", "a Huffman code with more than 7 bits of padding", block(b"\0\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff"), "connection COMPRESSION_ERROR"),
    ("HPACK 5.2", "a Huffman code that is padded with zeros", block(b"\0\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90"), "connection COMPRESSION_ERROR"),
    ("HPACK 5.2", "a Huffman code with EOS", block(b"\0\x85\xf2\xb2\x4a\x84\xff\x87\x49\x51\xff\xff\xff\xfa\x7f"), "connection COMPRESSION_ERROR"),
    ("HPACK 6.2", "a field that is indexed, not indexed and never indexed", block(b"\x40\1a\1b\0\1c\1d\x10\1e\1f\xbe"), "200"),
    ("HPACK 6.3", "a table that is larger than allowed", lambda c: c.send(raw(1, 5, 1, b"\x3f\xe1\xff\x03\x82\x84\x86")), "connection COMPRESSION_ERROR"),
    ("HPACK 6.3", "a table of 0 bytes", lambda c: c.send(raw(1, 5, 1, b"\x20" + c.encoder.encode(GET, huffman=False))), "200"),
]


def main():
    server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = int(server.stdout.readline())
    failed = 0
    rows = ["| section | sent | result |", "|---|---|---|"]
    for section, name, send, expected in CASES:
        connection = Connection(port, getattr(send, "start", START))
        result = send(connection) or connection.result(1)
        connection.socket.close()
        rows.append(f"| {section} | {name} | {result} |")
        if result != expected:
            failed += 1
            print(f"{section} {name}: expected {expected}, got {result}", file=sys.stderr)
    server.stdin.close()
    if server.wait() != 0:
        failed += 1
        print("the server did not stop in time", file=sys.stderr)
    if sys.argv[2:]:
        table = "\n".join(rows)
        with open(sys.argv[2], encoding="utf-8") as page:
            if table not in page.read():
                failed += 1
                print(f"the table of {sys.argv[2]} is not current:\n{table}", file=sys.stderr)
    print(f"{len(CASES)} cases, {failed} errors", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
