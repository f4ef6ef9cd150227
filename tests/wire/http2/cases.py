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
ERRORS = {0: "NO_ERROR", 1: "PROTOCOL_ERROR", 2: "INTERNAL_ERROR", 3: "FLOW_CONTROL_ERROR",
          5: "STREAM_CLOSED", 6: "FRAME_SIZE_ERROR", 7: "REFUSED_STREAM", 8: "CANCEL",
          9: "COMPRESSION_ERROR", 11: "ENHANCE_YOUR_CALM"}
GET = [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/")]
POST = [(":method", "POST")] + GET[1:]


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.input = b""
        self.socket.sendall(PREFACE + f.SettingsFrame(0).serialize())
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

    def result(self, stream):
        """How the stream, or the connection, ends: "200", "stream PROTOCOL_ERROR" or "connection
        PROTOCOL_ERROR"."""
        while True:
            one = self.receive()
            if one is None:
                return "closed"
            if isinstance(one, f.GoAwayFrame):
                return "connection " + ERRORS.get(one.error_code, str(one.error_code))
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


def trailers(trailer):
    def run(c):
        c.send(c.head(1, POST, ("END_HEADERS",)), data(1, b"body"), c.head(1, trailer))
    return run


def in_pieces(c):
    block = c.encoder.encode(GET + [("x", "y" * 100)], huffman=False)
    first = f.HeadersFrame(1, block[:5])
    first.flags.add("END_STREAM")
    middle = f.ContinuationFrame(1, block[5:20])
    last = f.ContinuationFrame(1, block[20:])
    last.flags.add("END_HEADERS")
    c.send(first, middle, last)


def byte_by_byte(c):
    for byte in c.head(1, GET).serialize():
        c.send(bytes([byte]))


# section, name, what is sent, the result of stream 1
CASES = [
    ("3.4", "a request after the preface", fields(*GET), "200"),
    ("4.1", "a request byte by byte", byte_by_byte, "200"),
    ("4.1", "a frame of an unknown type is ignored", lambda c: c.send(raw(0xEE, 0xFF, 7, b"x"), c.head(1, GET)), "200"),
    ("4.2", "a frame above the largest size", frames(raw(0, 0, 1, b"x" * 16385)), "connection FRAME_SIZE_ERROR"),
    ("4.3", "a head in three pieces", in_pieces, "200"),
    ("4.3", "an index that the table does not have", frames(raw(1, 5, 1, b"\xff\xff\x7f")), "connection COMPRESSION_ERROR"),
    ("5.1", "DATA on an idle stream", frames(data(1, b"x")), "connection PROTOCOL_ERROR"),
    ("5.1", "WINDOW_UPDATE on an idle stream", frames(raw(8, 0, 1, b"\0\0\0\1")), "connection PROTOCOL_ERROR"),
    ("5.1.1", "a stream with an even number", lambda c: c.send(c.head(2, GET)), "connection PROTOCOL_ERROR"),
    ("5.4.1", "a connection error after a request", get_and(raw(6, 0, 1, b"12345678")), "connection PROTOCOL_ERROR"),
    ("6.1", "DATA on stream 0", frames(raw(0, 0, 0, b"x")), "connection PROTOCOL_ERROR"),
    ("6.1", "more padding than the frame has", post_and(raw(0, 8, 1, b"\x05x")), "connection PROTOCOL_ERROR"),
    ("6.1", "a padded body", post_and(raw(0, 9, 1, b"\x03body\0\0\0")), "200"),
    ("6.2", "HEADERS on stream 0", frames(raw(1, 5, 0, b"\x82")), "connection PROTOCOL_ERROR"),
    ("6.5", "SETTINGS on a stream", frames(raw(4, 0, 1)), "connection PROTOCOL_ERROR"),
    ("6.5", "SETTINGS with a wrong length", frames(raw(4, 0, 0, b"\0\0\0")), "connection FRAME_SIZE_ERROR"),
    ("6.5.2", "SETTINGS_ENABLE_PUSH of 2", frames(setting(2, 2)), "connection PROTOCOL_ERROR"),
    ("6.5.2", "a window of 2^31 in SETTINGS", frames(setting(4, 1 << 31)), "connection FLOW_CONTROL_ERROR"),
    ("6.5.2", "an unknown setting is ignored", lambda c: c.send(setting(0x7777, 1), c.head(1, GET)), "200"),
    ("6.6", "PUSH_PROMISE of a client", lambda c: c.send(c.head(1, GET), raw(5, 4, 1, b"\0\0\0\2\x82")), "connection PROTOCOL_ERROR"),
    ("6.7", "PING with a wrong length", frames(raw(6, 0, 0, b"1234")), "connection FRAME_SIZE_ERROR"),
    ("6.9", "WINDOW_UPDATE of 0 for the connection", frames(raw(8, 0, 0, b"\0\0\0\0")), "connection PROTOCOL_ERROR"),
    ("6.9.1", "a window above 2^31-1", frames(raw(8, 0, 0, b"\x7f\xff\xff\xff")), "connection FLOW_CONTROL_ERROR"),
    ("6.10", "CONTINUATION without HEADERS", frames(raw(9, 4, 1, b"\x82")), "connection PROTOCOL_ERROR"),
    ("6.10", "another frame within a head", frames(raw(1, 1, 1, b"\x82"), raw(6, 0, 0, b"12345678")), "connection PROTOCOL_ERROR"),
    ("8.1", "trailers", trailers([("x-sum", "1")]), "200"),
    ("8.1", "a pseudo-field in trailers", trailers([(":path", "/")]), "stream PROTOCOL_ERROR"),
    ("8.2.1", "a field name in capitals", fields(*GET, ("X-A", "1")), "stream PROTOCOL_ERROR"),
    ("8.2.1", "a line break in a value", fields(*GET, ("x", "a\r\nb")), "stream PROTOCOL_ERROR"),
    ("8.2.1", "NUL in a value", fields(*GET, ("x", "a\0b")), "stream PROTOCOL_ERROR"),
    ("8.2.1", "a space before a value", fields(*GET, ("x", " a")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "Connection", fields(*GET, ("connection", "close")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "Transfer-Encoding", fields(*GET, ("transfer-encoding", "chunked")), "stream PROTOCOL_ERROR"),
    ("8.2.2", "TE: trailers", fields(*GET, ("te", "trailers")), "200"),
    ("8.2.2", "TE with another value", fields(*GET, ("te", "gzip")), "stream PROTOCOL_ERROR"),
    ("8.3", "a pseudo-field after a field", fields(*GET[:3], ("x", "y"), GET[3]), "stream PROTOCOL_ERROR"),
    ("8.3", "an unknown pseudo-field", fields(*GET, (":x", "y")), "stream PROTOCOL_ERROR"),
    ("8.3.1", "no method", fields(*GET[1:]), "stream PROTOCOL_ERROR"),
    ("8.3.1", "no path", fields(*GET[:3]), "stream PROTOCOL_ERROR"),
    ("8.3.1", "an empty path", fields(*GET[:3], (":path", "")), "stream PROTOCOL_ERROR"),
    ("8.3.1", "two paths", fields(*GET, (":path", "/")), "stream PROTOCOL_ERROR"),
    ("8.3.1", "no scheme", fields(GET[0], *GET[2:]), "stream PROTOCOL_ERROR"),
    ("8.3.1", "Host instead of :authority", fields(*GET[:2], GET[3], ("host", "a")), "200"),
    ("8.3.1", "Host that differs from :authority", fields(*GET, ("host", "b")), "400"),
    ("8.3.1", "user information in :authority", fields(*GET[:2], (":authority", "u@a"), GET[3]), "400"),
    ("8.3.1", "OPTIONS with an asterisk", fields((":method", "OPTIONS"), *GET[1:3], (":path", "*")), "200"),
    ("8.5", "CONNECT", lambda c: c.send(c.head(1, [(":method", "CONNECT"), (":authority", "a:80")], ("END_HEADERS",))), "501"),
    ("8.1.1", "a body that is longer than its length", lambda c: c.send(c.head(1, POST + [("content-length", "2")], ("END_HEADERS",)), data(1, b"body", "END_STREAM")), "stream PROTOCOL_ERROR"),
    ("8.1.1", "a body that is shorter than its length", lambda c: c.send(c.head(1, POST + [("content-length", "9")], ("END_HEADERS",)), data(1, b"body", "END_STREAM")), "stream PROTOCOL_ERROR"),
]


def main():
    server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = int(server.stdout.readline())
    failed = 0
    rows = ["| section | sent | result |", "|---|---|---|"]
    for section, name, send, expected in CASES:
        connection = Connection(port)
        send(connection)
        result = connection.result(1)
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
