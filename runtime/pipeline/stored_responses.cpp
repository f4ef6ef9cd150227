#include "pipeline/stored_responses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/random.hpp"
#include "exchange/preconditions.hpp"
#include "pipeline/error_response.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kFormat = "fw6 ";
/// Begins an entry that is compressed as a whole, for a store on the network.
constexpr std::string_view kCompressed = "fwz ";
constexpr std::size_t kLargeEntry = 4 * 1024;
constexpr int kEntryLevel = 3;
constexpr std::string_view kEpochKey = "cache:epoch";
constexpr std::string_view kEntryPrefix = "cache:entry:";
constexpr std::string_view kEverything = "cache:all";
/// If a handler runs longer than this, its epoch has expired, and its response is not stored.
constexpr std::chrono::milliseconds kEpochTtl = std::chrono::hours(24);
/// Between two looks for the response of another process.
constexpr std::chrono::milliseconds kFirstDelay{5};
constexpr std::chrono::milliseconds kLongestDelay{100};

std::string claim_key(std::string_view key) { return "cache:claim:" + std::string(key); }
std::string key_tag(std::string_view key) { return "cache:key:" + std::string(key); }
std::string user_tag(std::string_view tag) { return "cache:tag:" + std::string(tag); }

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
  for (const auto& [name, value] : fields) {
    append_string(bytes, name);
    append_string(bytes, value);
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
      if (!read(name) || !read(value)) return false;
      // They were checked when they were stored. Replacements are checked when they are sent,
      // because they are set one by one.
      fields.add_valid(name, value);
    }
    return true;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  const std::shared_ptr<const std::string>& bytes_;
  std::string_view rest_;
};

/// The object of an entry is a StoredResponse.
Store::Object read_entry(const std::shared_ptr<const std::string>& bytes) {
  std::shared_ptr<const std::string> content = bytes;
  if (bytes->starts_with(kCompressed)) {
    auto decompressed =
        compression::decompress_zstd(std::string_view(*bytes).substr(kCompressed.size()));
    if (!decompressed) return {};
    content = std::make_shared<const std::string>(std::move(*decompressed));
  }
  auto response = StoredResponse::parse(content);
  if (!response) return {};
  const std::size_t memory = response->memory() + (content == bytes ? 0 : content->size());
  return {.value = std::make_shared<const StoredResponse>(std::move(*response)), .bytes = memory};
}

}  // namespace

std::string StoredResponse::serialize() const {
  std::string bytes(kFormat);
  std::size_t size = body.view().size() + 256;
  for (const Encoded& encoded : encodings) size += encoded.beginning.view().size() + 32;
  bytes.reserve(size);
  append_number(
      bytes,
      std::chrono::duration_cast<std::chrono::milliseconds>(expires.time_since_epoch()).count());
  append_number(bytes, stale_for.count());
  append_number(bytes, status);
  append_number(bytes, static_cast<int>(form));
  append_fields(bytes, fields);
  append_fields(bytes, body_fields);
  append_fields(bytes, replacements);
  append_string(bytes, nonce);
  append_string(bytes, pages_version);
  append_string(bytes, body.view());
  append_number(bytes, static_cast<std::int64_t>(encodings.size()));
  for (const Encoded& encoded : encodings) {
    append_number(bytes, static_cast<int>(encoded.coding));
    append_string(bytes, encoded.beginning.view());
  }
  return bytes;
}

void StoredResponse::add_field(std::string_view name, std::string_view value) {
  (is_body_field(name) ? body_fields : fields).add_valid(name, value);  // see `is_storable`
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
  return sizeof *this + fields.memory() + body_fields.memory() + replacements.memory() +
         nonce.size() + pages_version.size() + entity_tag.size() +
         encodings.capacity() * sizeof(Encoded);
}

std::optional<StoredResponse> StoredResponse::parse(
    const std::shared_ptr<const std::string>& bytes) {
  Reader reader(bytes);
  StoredResponse response;
  std::int64_t expires = 0;
  std::int64_t stale_for = 0;
  std::int64_t status = 0;
  std::int64_t form = 0;
  if (!reader.skip(kFormat) || !reader.read(expires) || !reader.read(stale_for) ||
      !reader.read(status) || !reader.read(form) || !reader.read(response.fields) ||
      !reader.read(response.body_fields) || !reader.read(response.replacements) ||
      !reader.read(response.nonce) || !reader.read(response.pages_version)) {
    return std::nullopt;
  }
  if (status < 200 || status > 299 || form < 0 ||
      form > static_cast<int>(StoredResponse::Form::data_without_envelope)) {
    return std::nullopt;
  }
  response.expires = std::chrono::system_clock::time_point(std::chrono::milliseconds(expires));
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
  const std::string_view tag = response.fields.find("etag").value_or("");
  const bool is_plain = response.replacements.empty() && response.nonce.empty();
  if (response.status == 200 && is_plain && is_entity_tag(tag)) response.entity_tag = tag;
  response.has_cache_control = response.fields.find("cache-control").has_value();
  return response;
}

StoredKey::StoredKey(std::string_view base) {
  begin_base(base.size());
  put(base);
}

StoredKey::StoredKey(std::string_view method, std::string_view target) {
  begin_base(method.size() + 1 + target.size());
  put(method);
  put(" ");
  put(target);
}

void StoredKey::begin_base(std::size_t size) {
  // The length of the base makes the key unambiguous.
  const fmt::format_int digits(size);
  make_room(kEntryPrefix.size() + digits.size() + 1 + size);
  put(kEntryPrefix);
  put({digits.data(), digits.size()});
  put(" ");
  begin_ = size_;
  base_size_ = size;
}

StoredKey::StoredKey(const StoredKey& other) : begin_(other.begin_), base_size_(other.base_size_) {
  append(other.full());
}

void StoredKey::grow(std::size_t by) {
  const std::size_t capacity = 2 * (size_ + by);
  auto text = std::make_unique_for_overwrite<char[]>(capacity);
  full().copy(text.get(), size_);
  long_text_ = std::move(text);
  text_ = long_text_.get();
  capacity_ = capacity;
}

void StoredResponses::Lead::publish(std::shared_ptr<const StoredResponse> response) {
  if (std::exchange(is_published_, true)) return;
  std::shared_ptr<SharedRun> run;
  {
    const std::lock_guard lock(owner_.mutex_);
    const auto found = owner_.runs_.find(key_);
    run = std::move(found->second);
    owner_.runs_.erase(found);
  }
  {
    const std::lock_guard lock(run->mutex);
    run->is_over = true;
    run->response = std::move(response);
  }
  run->changed.notify_all();
}

StoredResponses::Claim::~Claim() {
  try {
    // Erases the claim, unless it has expired and is that of another process.
    owner_.store().set_if_equal(key_, id_, id_, std::chrono::milliseconds(1));
  } catch (const StoreError&) {
    // It expires.
  }
}

std::unique_ptr<StoredResponses::Claim> StoredResponses::claim(const StoredKey& key) {
  const std::string name = claim_key(key.full());
  const std::string id = base::make_uuid();
  if (!store().set_if_absent(name, id, kLongestClaim)) return nullptr;
  return std::make_unique<Claim>(*this, name, id);
}

std::shared_ptr<const StoredResponse> StoredResponses::await_claimed(const StoredKey& key,
                                                                     const std::stop_token& stop) {
  const std::string claim = claim_key(key.full());
  for (auto delay = kFirstDelay; !stop.stop_requested();
       delay = std::min(2 * delay, kLongestDelay)) {
    std::this_thread::sleep_for(delay);
    // Read before the entry, because the other process stores the entry first.
    const bool is_claimed = store().get(claim).has_value();
    const auto now = StoredResponse::Clock::now();
    auto response = find(key, now);
    if (response && !response->is_stale(now)) return response;
    if (!is_claimed) return nullptr;
  }
  return nullptr;
}

Store& StoredResponses::store() const {
  if (!store_) throw std::logic_error("app.cache() has no entries before the application starts");
  return *store_;
}

std::string StoredResponses::pack(const StoredResponse& response) const {
  std::string bytes = response.serialize();
  const bool is_worth_it = bytes.size() >= kLargeEntry && store().is_shared() &&
                           compression::is_available(compression::Coding::zstd);
  if (!is_worth_it) return bytes;
  return std::string(kCompressed) +
         compression::compress(compression::Coding::zstd, kEntryLevel, bytes);
}

std::shared_ptr<const StoredResponse> StoredResponses::find(const StoredKey& key,
                                                            StoredResponse::Clock::time_point now) {
  auto response =
      std::static_pointer_cast<const StoredResponse>(store().get_object(key.full(), read_entry));
  // The entry may have expired, because the clocks of machines that share a store differ.
  if (response && response->is_expired(now)) response.reset();
  return response;
}

std::string StoredResponses::epoch() { return store().get(kEpochKey).value_or(std::string()); }

bool StoredResponses::put(const StoredKey& key, const StoredResponse& response,
                          std::span<const std::string> tags, const std::string& epoch) {
  const std::string_view full = key.full();
  std::vector<std::string> all{std::string(kEverything), key_tag(key.base())};
  for (const std::string& tag : tags) all.push_back(user_tag(tag));
  if (this->epoch() != epoch) return false;
  const auto remaining = response.remaining(StoredResponse::Clock::now());
  if (remaining.count() <= 0) return false;
  store().set(full, pack(response), remaining);
  store().tag(full, all);
  // An invalidation before the tags were stored did not find the entry.
  if (this->epoch() != epoch) {
    store().erase(full);
    return false;
  }
  ++writes_;
  return true;
}

void StoredResponses::replace(const StoredKey& key, const StoredResponse& stored,
                              const StoredResponse& by) {
  const auto remaining = by.remaining(StoredResponse::Clock::now());
  if (remaining.count() <= 0) return;
  store().set_if_equal(key.full(), pack(stored), pack(by), remaining);
}

std::unique_ptr<StoredResponses::Lead> StoredResponses::join(
    std::string_view key, Others others, const std::stop_token& stop,
    std::shared_ptr<const StoredResponse>& shared) {
  std::shared_ptr<SharedRun> run;
  {
    const std::lock_guard lock(mutex_);
    const auto found = runs_.find(key);
    if (found == runs_.end()) {
      runs_.emplace(key, std::make_shared<SharedRun>());
      return std::make_unique<Lead>(*this, std::string(key));
    }
    run = found->second;
  }
  if (others == Others::proceed) return nullptr;
  std::unique_lock lock(run->mutex);
  run->changed.wait(lock, stop, [&] { return run->is_over; });
  shared = run->response;
  return nullptr;
}

std::size_t StoredResponses::erase_tagged(const std::string& tag) {
  store().set(kEpochKey, base::make_uuid(), kEpochTtl);
  return store().erase_tagged(tag);
}

std::size_t StoredResponses::invalidate(std::string_view tag) {
  return erase_tagged(user_tag(tag));
}

bool StoredResponses::erase(std::string_view key) { return erase_tagged(key_tag(key)) > 0; }

void StoredResponses::clear() { erase_tagged(std::string(kEverything)); }

CacheStats StoredResponses::stats() const {
  return {.hits = hits_, .misses = misses_, .writes = writes_, .errors = errors_};
}

}  // namespace fw::detail
