#include "diagnostics/repairs.hpp"

#include <algorithm>
#include <compare>

namespace fairway::diagnostics {
namespace {

constexpr const char* kOverlaps = "it overlaps with another fix";

/// Replaces the bytes [begin, end) of a file with `text`.
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;

  auto operator<=>(const Edit&) const = default;
};

bool overlap(const Edit& left, const Edit& right) {
  return left.begin == right.begin || (left.begin < right.end && right.begin < left.end);
}

class EditedFile {
 public:
  explicit EditedFile(std::string text) : text_(std::move(text)) {
    starts_.push_back(0);
    for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
      starts_.push_back(at + 1);
  }

  /// Empty if the file has no such range, because it has changed.
  std::optional<Edit> locate(const model::FixIt& fix) const {
    const auto begin = offset_of(fix.range.line, fix.range.column);
    const auto end = offset_of(fix.range.end_line, fix.range.end_column);
    if (!begin || !end || *begin > *end) return std::nullopt;
    return Edit{*begin, *end, with_own_line_ends(fix.text)};
  }

  const std::vector<Edit>& edits() const { return edits_; }
  void add(Edit edit) {
    edits_.insert(std::ranges::upper_bound(edits_, edit.begin, {}, &Edit::begin), std::move(edit));
  }

  std::string result() const {
    std::string result;
    std::size_t copied = 0;
    for (const Edit& edit : edits_) {
      result.append(text_, copied, edit.begin - copied).append(edit.text);
      copied = edit.end;
    }
    return result.append(text_, copied);
  }

 private:
  std::optional<std::size_t> offset_of(unsigned line, unsigned column) const {
    if (line == 0 || column == 0 || line > starts_.size()) return std::nullopt;
    const std::size_t offset = starts_[line - 1] + column - 1;
    const std::size_t line_end = line < starts_.size() ? starts_[line] - 1 : text_.size();
    if (offset > line_end) return std::nullopt;
    return offset;
  }

  std::string with_own_line_ends(const std::string& text) const {
    const bool has_crlf = starts_.size() > 1 && starts_[1] >= 2 && text_[starts_[1] - 2] == '\r';
    if (!has_crlf) return text;
    std::string converted;
    for (const char c : text) {
      if (c == '\n') converted += '\r';
      converted += c;
    }
    return converted;
  }

  std::string text_;
  std::vector<std::size_t> starts_;  ///< of lines
  std::vector<Edit> edits_;          ///< by offset
};

class Planner {
 public:
  explicit Planner(const ReadFile& read) : read_(read) {}

  void add(const model::Diagnostic& finding) {
    std::string reason = reason_against(finding);
    if (reason.empty()) {
      plan_.repaired.push_back(finding);
    } else {
      const bool overlaps = reason == kOverlaps;
      plan_.skipped.push_back({finding, std::move(reason), overlaps});
    }
  }

  RepairPlan take() {
    for (const auto& [path, file] : files_) {
      if (file && !file->edits().empty()) plan_.files[path] = file->result();
    }
    return std::move(plan_);
  }

 private:
  struct LocatedEdit {
    EditedFile* file;
    Edit edit;
  };

  /// Adds the edits, or returns the reason why it cannot.
  std::string reason_against(const model::Diagnostic& finding) {
    std::vector<LocatedEdit> edits;
    for (const model::FixIt& fix : finding.fixes) {
      EditedFile* file = open(fix.range.file);
      if (!file) return "'" + fix.range.file + "' is not a file of this project";
      auto edit = file->locate(fix);
      if (!edit) return "'" + fix.range.file + "' has changed since it was read";
      edits.push_back({file, std::move(*edit)});
    }
    // If two findings have the same edits, as for a shared constant, the edits are applied once.
    if (std::ranges::all_of(edits, [](const LocatedEdit& each) {
          return std::ranges::find(each.file->edits(), each.edit) != each.file->edits().end();
        })) {
      return {};
    }
    for (std::size_t index = 0; index < edits.size(); ++index) {
      const LocatedEdit& placed = edits[index];
      const auto clashes = [&](const Edit& other) { return overlap(placed.edit, other); };
      const bool with_own =
          std::any_of(edits.begin(), edits.begin() + static_cast<std::ptrdiff_t>(index),
                      [&](const LocatedEdit& other) {
                        return other.file == placed.file && clashes(other.edit);
                      });
      if (with_own || std::ranges::any_of(placed.file->edits(), clashes)) {
        return kOverlaps;
      }
    }
    for (LocatedEdit& placed : edits) placed.file->add(std::move(placed.edit));
    return {};
  }

  EditedFile* open(const std::string& path) {
    auto found = files_.find(path);
    if (found == files_.end()) {
      std::optional<EditedFile> file;
      if (auto text = read_(path)) file.emplace(std::move(*text));
      found = files_.emplace(path, std::move(file)).first;
    }
    return found->second ? &*found->second : nullptr;
  }

  const ReadFile& read_;
  std::map<std::string, std::optional<EditedFile>> files_;
  RepairPlan plan_;
};

}  // namespace

RepairPlan plan_repairs(const model::Diagnostics& findings, const ReadFile& read) {
  Planner planner(read);
  for (const model::Diagnostic& finding : findings) {
    if (!finding.fixes.empty()) planner.add(finding);
  }
  return planner.take();
}

}  // namespace fairway::diagnostics
