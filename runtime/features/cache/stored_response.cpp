#include "features/cache/stored_response.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "chain/error_response.hpp"
#include "features/cache/preconditions.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kFormat = "fw9 ";

/// Eight bytes, the least significant first.
void append_number(std::string& bytes, std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  std::array<char, sizeof bits> encoded{};
  for (std::size_t i = 0; i < encoded.size(); ++i) encoded[i] = static_cast<char>(bits >> 8 * i);
  bytes.append(encoded.data(), encoded.size());
}

void append_string(std::string& bytes, std::string_view value) {
  append_number(bytes, static_cast<std::int64_t>(value.size()));
  bytes += value;
}

void append_fields(std::string& bytes, const http::Fields& fields) {
  append_number(bytes, static_cast<std::int64_t>(fields.size()));
  for (std::size_t index = 0; index < fields.size(); ++index) {
    append_string(bytes, fields[index].name);
    append_string(bytes, fields[index].value);
    append_number(bytes, fields.is_set(index) ? 1 : 0);
  }
}

/// Reads the output of the functions above.
class Reader {
 public:
  explicit Reader(const std::shared_ptr<const std::string>& bytes) : bytes_(bytes), rest_(*bytes) {}

  bool skip(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool read(std::int64_t& number) {
    std::uint64_t bits = 0;
    if (rest_.size() < sizeof bits) return false;
    for (std::size_t i = 0; i < sizeof bits; ++i) {
      bits |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << 8 * i;
    }
    number = static_cast<std::int64_t>(bits);
    rest_.remove_prefix(sizeof bits);
    return true;
  }
  bool read(std::string_view& value) {
    std::int64_t size = 0;
    if (!read(size) || size < 0 || static_cast<std::uint64_t>(size) > rest_.size()) return false;
    value = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(value.size());
    return true;
  }
  bool read(std::string& value) {
    std::string_view read_value;
    if (!read(read_value)) return false;
    value = read_value;
    return true;
  }
  bool read(SharedText& value) {
    std::string_view read_value;
    if (!read(read_value)) return false;
    value = SharedText(bytes_, read_value);
    return true;
  }
  bool read(http::Fields& fields) {
    std::int64_t count = 0;
    if (!read(count) || count < 0) return false;
    for (; count > 0; --count) {
      std::string_view name;
      std::string_view value;
      std::int64_t is_set = 0;
      if (!read(name) || !read(value) || !read(is_set)) return false;
      // They were checked when they were stored. Replacements are checked when they are sent,
      // because they are set one by one.
      fields.add_valid(name, value);
      if (is_set != 0) fields.mark_set(fields.size() - 1);
    }
    return true;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  const std::shared_ptr<const std::string>& bytes_;
  std::string_view rest_;
};

}  // namespace

std::string StoredResponse::serialize() const {
  std::string bytes(kFormat);
  std::size_t size = body.view().size() + 256;
  for (const Encoded& encoded : encodings) size += encoded.beginning.view().size() + 32;
  bytes.reserve(size);
  append_number(
      bytes,
      std::chrono::duration_cast<std::chrono::milliseconds>(expires.time_since_epoch()).count());
  append_number(bytes, static_cast<std::int64_t>(version));
  append_number(bytes, stale_for.count());
  append_number(bytes, status);
  append_number(bytes, static_cast<int>(form));
  append_fields(bytes, fields);
  append_fields(bytes, body_fields);
  append_fields(bytes, replacements);
  append_string(bytes, nonce);
  append_string(bytes, body.view());
  append_number(bytes, static_cast<std::int64_t>(encodings.size()));
  for (const Encoded& encoded : encodings) {
    append_number(bytes, static_cast<int>(encoded.coding));
    append_string(bytes, encoded.beginning.view());
  }
  return bytes;
}

void StoredResponse::add_field(std::string_view name, std::string_view value, bool is_set) {
  http::Fields& all = is_body_field(name) ? body_fields : fields;
  all.add_valid(name, value);  // see `storability_of`
  if (is_set) all.mark_set(all.size() - 1);
}

void StoredResponse::complete() {
  const std::string_view tag = fields.find("etag").value_or("");
  const bool is_plain = replacements.empty() && nonce.empty();
  if (status == 200 && is_plain && is_entity_tag(tag)) entity_tag = tag;
  all_fields = fields;
  all_fields.add(body_fields);
}

std::chrono::milliseconds StoredResponse::remaining(Clock::time_point now) const {
  return std::chrono::ceil<std::chrono::milliseconds>(expires + stale_for - now);
}

const StoredResponse::Encoded* StoredResponse::encoded(compression::Coding coding) const {
  const auto found = std::find_if(encodings.begin(), encodings.end(),
                                  [&](const Encoded& each) { return each.coding == coding; });
  return found == encodings.end() ? nullptr : &*found;
}

std::size_t StoredResponse::memory() const {
  return sizeof *this + fields.memory() + body_fields.memory() + all_fields.memory() +
         replacements.memory() + nonce.size() + entity_tag.size() +
         encodings.capacity() * sizeof(Encoded);
}

std::optional<StoredResponse> StoredResponse::parse(
    const std::shared_ptr<const std::string>& bytes) {
  Reader reader(bytes);
  StoredResponse response;
  std::int64_t expires = 0;
  std::int64_t version = 0;
  std::int64_t stale_for = 0;
  std::int64_t status = 0;
  std::int64_t form = 0;
  if (!reader.skip(kFormat) || !reader.read(expires) || !reader.read(version) ||
      !reader.read(stale_for) || !reader.read(status) || !reader.read(form) ||
      !reader.read(response.fields) || !reader.read(response.body_fields) ||
      !reader.read(response.replacements) || !reader.read(response.nonce)) {
    return std::nullopt;
  }
  if (status < 200 || status > 299 || form < 0 ||
      form > static_cast<int>(StoredResponse::Form::none)) {
    return std::nullopt;
  }
  response.expires = std::chrono::system_clock::time_point(std::chrono::milliseconds(expires));
  response.version = static_cast<std::uint64_t>(version);
  response.stale_for = std::chrono::milliseconds(stale_for);
  response.status = static_cast<int>(status);
  response.form = static_cast<StoredResponse::Form>(form);
  std::int64_t encodings = 0;
  if (!reader.read(response.body) || !reader.read(encodings) || encodings < 0) return std::nullopt;
  for (std::int64_t i = 0; i < encodings; ++i) {
    std::int64_t coding = 0;
    Encoded encoded{};
    if (!reader.read(coding) || !reader.read(encoded.beginning)) return std::nullopt;
    if (coding < 0 || coding >= std::ssize(compression::kCodings)) return std::nullopt;
    encoded.coding = static_cast<compression::Coding>(coding);
    response.encodings.push_back(std::move(encoded));
  }
  if (!reader.is_at_end()) return std::nullopt;
  response.complete();
  return response;
}

}  // namespace fw::detail
