#include "schema/formats.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "schema/kinds.hpp"

namespace formats_test {

namespace {

using Format = bool(std::string_view);

void check_format(Format* has_format, std::initializer_list<std::string_view> accepted,
                  std::initializer_list<std::string_view> rejected) {
  for (const std::string_view text : accepted) {
    CAPTURE(text);
    CHECK(has_format(text));
  }
  for (const std::string_view text : rejected) {
    CAPTURE(text);
    CHECK_FALSE(has_format(text));
  }
}

}  // namespace

TEST_CASE("schema format: email") {
  check_format(fw::schema::is_email,
               {"joe.bloggs@example.com", "te~st@example.com", "a.b+c@x.y.z", "A@B.CO", "a@b.c",
                "\"joe bloggs\"@example.com", "\"joe@bloggs\"@example.com", "\"\"@iana.org",
                "\"\\\"\"@iana.org", "test@255.255.255.255", "test@c--n.com", "test@123.com"},
               {"",
                "2962",
                "a@b",
                "@b.co",
                "a b@c.d",
                "a@-b.co",
                ".test@example.com",
                "test.@example.com",
                "te..st@example.com",
                "joe.bloggs@invalid=domain.com",
                "joe.bloggs@[127.0.0.1]",
                "joe.bloggs@",
                "user1@oceania.org, user2@oceania.org",
                "a@b@c.org",
                "test@iana.org\n",
                " a@iana.org",
                "a\tb@iana.org",
                "\"test@iana.org",
                "\"test\"test@iana.org",
                "\"te\"st\"@iana.org",
                "\"test\\\"@iana.org",
                "a\u00e9@iana.org",
                "a@\u00e9.org",
                "test@iana-.com",
                "test@.iana.org",
                "test@iana.org.",
                "test@iana..com",
                "a,b@iana.org",
                "test(comment)@iana.org"});
  CHECK(fw::schema::is_email(std::string(64, 'a') + "@example.com"));
  CHECK_FALSE(fw::schema::is_email(std::string(65, 'a') + "@example.com"));
}

TEST_CASE("schema format: url") {
  check_format(
      fw::schema::is_url,
      {"http://a.b", "https://a.b/c?d#e", "HTTP://A.B", "http://localhost",
       "http://localhost:3000/x", "http://1.2.3.4", "http://[2001:db8::7]:80/c",
       "http://foo.com/blah_(wikipedia)_blah#cite-1",
       "http://foo.bar/?q=Test%20URL-encoded%20stuff", "http://xn--nw2a.xn--j6w193g/",
       "http://-.~_!$&'()*+,;=:%40:80%2f::::::@example.com", "http://a.com:", "https://a?b/c#d?e"},
      {"",
       "a.b",
       "abc",
       "/abc",
       "//a.b",
       "ftp://a.b",
       "mailto:a@b.co",
       "urn:x:y",
       "http:a.b",
       "http://",
       "http:///x",
       "http://:80",
       "http://user@",
       "http://a b",
       " http://a.b",
       "http://a.b ",
       "http://a.b\n",
       "http:// shouldfail.com",
       "https://[@example.org/test.txt",
       "http://[::1",
       "http://[1.2.3.4]",
       "http://[::1]x",
       "https://example.org/foobar\u00ae.txt",
       "https://example.org/foobar\\.txt",
       "https://example.org/foobar\".txt",
       "https://example.org/foobar<>.txt",
       "https://example.org/foobar{}.txt",
       "http://a.b/%6G",
       "http://a.b/%A",
       "http://a.b/%",
       "http://a.com:abc/",
       "http://a.com:8:0",
       "http://a.b/#c#d",
       "javascript://a.b",
       "xhttp://a.b"});
}

TEST_CASE("schema format: date") {
  check_format(fw::schema::is_date,
               {"2024-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "2021-04-30"},
               {"",
                "2024-02-30",
                "2023-02-29",
                "2100-02-29",
                "2024-1-1",
                "31/01/2024",
                "2024-00-15",
                "2024-13-01",
                "2024-01-00",
                "2020-04-31",
                "2024-01-15 ",
                " 2024-01-15",
                "20240115",
                "+2020-01-01",
                "12020-01-01",
                "2020-11-28T23:55:45Z",
                "2020-01-0\u09ea",
                "2013-350",
                "2020-01/01",
                "2020-01-01Z"});
}

TEST_CASE("schema format: time") {
  check_format(fw::schema::is_time,
               {"10:20:30", "10:20:30.5", "08:30:06Z", "08:30:06z", "08:30:06.283185Z",
                "08:30:06+00:20", "12:34:56-00:00", "23:59:60Z", "01:29:60+01:30", "00:29:60-23:30",
                "15:59:60-08:00", "23:59:60"},
               {"",
                "10:20",
                "8:3:6",
                "008:030:006Z",
                "24:00:00",
                "00:60:00",
                "00:00:61",
                "22:59:60Z",
                "23:58:60Z",
                "23:59:60+01:00",
                "01:02:03+24:00",
                "01:02:03+00:60",
                "01:02:03Z+00:30",
                "08:30:06 PST",
                "01:01:01,1111",
                "12:00:00.",
                "08:30:06#00:20",
                "08:30:06+0130",
                "08:30:06+01",
                "08:30:06Z\n",
                "ab:cd:ef",
                "1\u09e8:00:00Z",
                "2020-11-28T23:55:45Z"});
}

TEST_CASE("schema format: datetime") {
  check_format(
      fw::schema::is_datetime,
      {"2024-01-31T10:20:30Z", "2024-01-31T10:20:30+02:00", "2024-01-31T10:20:30.123Z",
       "1963-06-19t08:30:06.283185z", "2024-01-31 10:20:30Z", "1998-12-31T23:59:60Z",
       "1998-12-31T15:59:60.123-08:00", "1985-04-12T00:59:59.999999999999999Z"},
      {"", "2024-01-31", "2024-01-31T", "2024-01-31T10:20:30", "2024-01-31 10:20:30",
       "2024-01-31T25:00:00Z", "1990-02-31T15:59:59.123-08:00", "1990-12-31T15:59:59-24:00",
       "1998-12-31T23:59:61Z", "1998-12-31T23:58:60Z", "1963-06-19T08:30:06.28123+01:00Z",
       "06/19/1963 08:30:06 PST", "2013-350T01:01:01", "1963-6-19T08:30:06.283185Z",
       "+11963-06-19T08:30:06.283185Z", "2024-01-31_10:20:30Z"});
}

TEST_CASE("schema format: uuid") {
  check_format(fw::schema::is_uuid,
               {"550e8400-e29b-41d4-a716-446655440000", "550E8400-E29B-41D4-A716-446655440000",
                "2eb8aa08-AA98-11ea-B4Aa-73B441D16380", "00000000-0000-0000-0000-000000000000",
                "99c17cbb-656f-f64a-940f-1a4568f03487"},
               {"", "550e8400e29b41d4a716446655440000", "{550e8400-e29b-41d4-a716-446655440000}",
                "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
                "2eb8aa08-aa98-11ea-b4ga-73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
                "2eb8aa08aa9811eab4aa73b441d16380----", "2eb8aa0-8aa98-11e-ab4aa7-3b441d16380"});
}

TEST_CASE("schema format: ipv4") {
  check_format(fw::schema::is_ipv4, {"192.168.0.1", "0.0.0.0", "255.255.255.255"},
               {"",           "1.2.3",      "127.0.0.0.1",    "256.1.1.1", "192.168.0.256",
                "087.10.0.1", "0x7f.0.0.1", "2130706433",     " 1.2.3.4",  "1.2.3.4 ",
                "1.2.3.4\n",  "192.168..1", ".1.2.3.4",       "1.2.3.4.",  "1.2.3.4/24",
                "+1.2.3.4",   "1.2.3.4:80", "1\u09e87.0.0.1", "::1",       "1.2.3.1000"});
}

TEST_CASE("schema format: ipv6") {
  check_format(fw::schema::is_ipv6,
               {"::1", "::", "2001:db8::1", "::abef", "::42:ff:1", "d6::", "1:d6::42",
                "1::d6:192.168.0.1", "1:2::192.168.0.1", "::ffff:192.168.0.1", "1:2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7::", "1000:1000:1000:1000:1000:1000:255.255.255.255", "FE80::A"},
               {"",
                "1",
                ":",
                ":::",
                "12345::",
                "::abcef",
                "::laptop",
                ":2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7:",
                ":2:3:4::8",
                "1::d6::42",
                "1::2:192.168.256.1",
                "1::2:192.168.ff.1",
                "1:2:3:4:5:::8",
                "1:2:3:4:5:6:7",
                "1::2:3:4:5:6:7:8",
                "127.0.0.1",
                "1:2:3:4:1.2.3",
                "  ::1",
                "::1  ",
                "fe80::/64",
                "fe80::a%eth1",
                "100:100:100:100:100:100:255.255.255.255.255",
                "100:100:100:100:100:100:100:255.255.255.255",
                "1:2:3:4:5:6:7:\u09ea",
                "[::1]",
                "1:1:1:1:1:1:1:1:1"});
}

TEST_CASE("schema format: hostname") {
  const std::string longest_label(63, 'a');
  check_format(fw::schema::is_hostname,
               {"www.example.com", "localhost", "xn--4gbwdl.xn--wgbh1c", "A-1.b", "1host"},
               {"", ".", "-a-host-name-that-starts-with--", "not_a_valid_host_name", "hostname-",
                "a..b", ".a", "a.", "ab--c.d", "a b", "\u00e9.com"});
  CHECK(fw::schema::is_hostname(longest_label + ".com"));
  CHECK_FALSE(fw::schema::is_hostname(longest_label + "a.com"));
  const std::string two_hundred = longest_label + '.' + longest_label + '.' + longest_label + '.';
  CHECK(fw::schema::is_hostname(two_hundred + std::string(61, 'a')));
  CHECK_FALSE(fw::schema::is_hostname(two_hundred + std::string(62, 'a')));
}

TEST_CASE("schema format: formats that have a string in common are not disjoint") {
  using fw::schema::Kind;
  for (const fw::schema::KindInfo& one : fw::schema::all_kinds()) {
    for (const fw::schema::KindInfo& two : fw::schema::all_kinds()) {
      if (one.has_format == nullptr || two.has_format == nullptr) continue;
      CAPTURE(one.name);
      CAPTURE(two.name);
      if (one.has_format(two.example)) CHECK_FALSE(are_disjoint_formats(one, two));
    }
  }
  using fw::schema::info;
  CHECK(are_disjoint_formats(info(Kind::date), info(Kind::ipv4)));
  CHECK_FALSE(are_disjoint_formats(info(Kind::date), info(Kind::string)));
}

TEST_CASE("schema strings: code points are counted, and invalid UTF-8 is detected") {
  using fw::base::count_code_points;
  CHECK(count_code_points("").count == 0);
  CHECK(count_code_points("abc").count == 3);
  CHECK(count_code_points("\u00e9\u20ac\U0001F600").count == 3);
  CHECK(count_code_points("\u00e9\u20ac\U0001F600").well_formed);
  for (const std::string_view text :
       {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xF0\x80\x80\x80", "\xFF", "a\xE2\x82", "\xE2(\xA1"}) {
    CHECK_FALSE(count_code_points(text).well_formed);
  }
  CHECK(count_code_points("a\xFFz").count == 3);
}

}  // namespace formats_test
