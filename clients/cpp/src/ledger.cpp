#include "ledger.h"

#include <fcntl.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <system_error>

#include "bytes.h"
#include "fairdeal/errors.h"
#include "folder.h"

namespace fairdeal {
namespace {

constexpr std::string_view kPipesOfTheHost = "/dev/fd/";
constexpr std::size_t kEpochs = 10'000;       // that are remembered
constexpr off_t kMostRead = off_t{16} << 20;  // bytes of a file that holds lines already

using Digest = std::shared_ptr<EVP_MD_CTX>;

Digest sha256() {
  Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(digest.get(), EVP_sha256(), nullptr);
  return digest;
}

/// Add items, each preceded by its length.
void add(const Digest& digest, std::initializer_list<std::string> items) {
  for (const std::string& item : items) {
    const std::string whole = u32be(static_cast<std::uint32_t>(item.size())) + item;
    EVP_DigestUpdate(digest.get(), whole.data(), whole.size());
  }
}

std::string end_of(const Digest& digest) {
  std::string bytes(EVP_MAX_MD_SIZE, 0);
  unsigned size = 0;
  EVP_DigestFinal_ex(digest.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size);
  bytes.resize(size);
  return bytes;
}

std::string hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text.append({"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]});
  return text;
}

/// Return a text as JSON.
std::string in_quotes(const std::string& text) {
  google::protobuf::Value value;
  value.set_string_value(text);
  std::string json;
  (void)google::protobuf::util::MessageToJsonString(value, &json);
  return json;
}

/// Return items as a list of JSON; `item` writes one.
template <typename Items, typename Item>
std::string listed(const Items& items, Item item) {
  std::string text = "[";
  for (const auto& each : items) {
    if (text.size() > 1) text += ',';
    text += item(each);
  }
  return text + ']';
}

const auto number = [](auto each) { return std::to_string(each); };

/// Return the bytes of an answer without its note and with what has no order put in order.
std::string canonical(v1::Answer answer) {
  answer.clear_note();
  if (answer.action().has_choose_cards()) {
    auto& cards = *answer.mutable_action()->mutable_choose_cards()->mutable_cards();
    std::sort(cards.begin(), cards.end());
  } else if (answer.action().has_choose_combinations()) {
    auto& chosen = *answer.mutable_action()->mutable_choose_combinations()->mutable_combinations();
    std::sort(chosen.begin(), chosen.end(),
              [](auto& one, auto& other) { return one.SerializeAsString() < other.SerializeAsString(); });
  }
  return answer.SerializeAsString();
}

bool is_pipe(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISFIFO(found.st_mode);
}

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

}  // namespace

KeptFile::KeptFile(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  struct stat found;
  if (file_ < 0 || fstat(file_, &found) < 0) fail();
  is_file_ = S_ISREG(found.st_mode);
  if (is_file_) read_ = std::max(off_t{0}, found.st_size - kMostRead);
}

KeptFile::~KeptFile() { close(file_); }

off_t KeptFile::size() const {
  struct stat found;
  return fstat(file_, &found) < 0 ? 0 : found.st_size;
}

void KeptFile::write(const std::string& line) {
  const std::string whole = is_cut_off() ? '\n' + line : line;
  for (std::string_view rest = whole; !rest.empty();) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0) fail();
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool KeptFile::is_cut_off() const {
  if (!is_file_) return false;
  std::ifstream file(path_, std::ios::binary);
  file.seekg(-1, std::ios::end);  // which fails where nothing is there
  const int last = file.get();
  return file.good() && last != '\n';
}

std::vector<std::pair<std::string, Promise>> KeptFile::epochs() {
  std::vector<std::pair<std::string, Promise>> found;
  if (!is_file_) return found;
  std::ifstream file(path_, std::ios::binary);  // one that cannot be read cannot be written either, which is told
  file.seekg(read_);
  std::string text;
  for (off_t left = kMostRead; left > 0 && std::getline(file, text) && !file.eof();) {
    read_ += static_cast<off_t>(text.size()) + 1;
    left -= static_cast<off_t>(text.size()) + 1;
    google::protobuf::Struct line;
    if (!google::protobuf::util::JsonStringToMessage(text, &line).ok()) continue;
    const auto field = [&line](const char* name) {
      const auto at = line.fields().find(name);
      return at == line.fields().end() ? "" : at->second.string_value();
    };
    if (field("type") != "seated" || field("scheme").empty() || field("commit").empty()) continue;
    found.push_back({field("epoch_id"), {field("scheme"), field("commit")}});
  }
  return found;
}

Ledger::Ledger(const std::string& keep, Log log, off_t most_of_a_file)
    : log_(std::move(log)), most_of_a_file_(most_of_a_file) {
  if (keep.empty()) return;
  if (keep.ends_with('/')) {
    folder_ = keep;
    return;
  }
  if (keep.starts_with(kPipesOfTheHost) && !is_pipe(keep)) {
    log_(keep + " (FAIRDEAL_KEEP) is not there: what the bot is told is not kept");
    return;
  }
  try {
    file_ = std::make_unique<KeptFile>(keep);
  } catch (const std::system_error& error) {
    throw BadSetting("keep '" + keep + "' (FAIRDEAL_KEEP): " + error.code().message());
  }
}

void Ledger::seated(const v1::Seated& message) {
  const v1::Commitment& told = message.commitment();
  next_file();
  if (file_) {
    for (const auto& [epoch, promise] : file_->epochs()) promised(epoch, promise);
  }
  const Promise now{told.scheme(), hex(told.commit())};
  const Promise first = promised(told.epoch_id(), now);
  if (!told.epoch_id().empty() && first != now) {
    breach(message, "epoch " + told.epoch_id() + " has another commitment than before: " + now.second + ", it was " +
                        first.second);
  }
  const auto known = matches_.find(message.match_id());
  if (known != matches_.end() && known->second.seated.attempt() == message.attempt()) {
    const v1::Commitment& before = known->second.seated.commitment();
    if (!google::protobuf::util::MessageDifferencer::Equals(before, told)) {
      breach(message, "its manifest is another than before: " + hex(told.manifest()) + ", it was " +
                          hex(before.manifest()));
    }
    return;
  }
  Kept kept{message, sha256()};
  add(kept.digest, {"fairdeal/told/1", message.match_id(), u32be(message.attempt()),
                    u32be(static_cast<std::uint32_t>(message.seat()) - 1), told.manifest()});
  matches_[message.match_id()] = std::move(kept);
  write("seated", message);
}

void Ledger::next_file() {
  if (folder_.empty() || (file_ && file_->size() <= most_of_a_file_)) return;
  try {
    const std::string path = next_in(folder_);
    file_ = std::make_unique<KeptFile>(path);
    log_("what the bot is told is kept in " + path);
  } catch (const std::system_error& error) {
    if (!has_no_folder_) {
      log_(folder_ + ": what the bot is told cannot be kept there (" + error.code().message() +
           "): set FAIRDEAL_KEEP to another folder, FOLDER/, or to nothing");
    }
    has_no_folder_ = true;
  }
}

void Ledger::asked(const v1::Decision& message) {
  const auto found = matches_.find(message.match_id());
  if (found == matches_.end() || !file_) return;
  Kept& known = found->second;
  if (known.is_open) known.unknown.push_back(known.last);
  if (message.decision_id() > known.last + 1) {
    known.missed.push_back(listed(std::initializer_list{known.last + 1, message.decision_id() - 1}, number));
  }
  known.last = message.decision_id();
  known.is_open = true;
  add(known.digest, {"asked", message.SerializeAsString()});
}

void Ledger::closed(const v1::Closed& message, const v1::Answer* answer) {
  const auto found = matches_.find(message.match_id());
  if (found == matches_.end() || !found->second.is_open || message.decision_id() != found->second.last) return;
  Kept& known = found->second;
  known.is_open = false;
  if (message.reason() != v1::CLOSE_REASON_ANSWERED && message.fault() != v1::FAULT_ILLEGAL) {
    add(known.digest, {"closed", std::string{static_cast<char>(message.reason()), static_cast<char>(message.fault())}});
  } else if (answer) {
    add(known.digest, {"answered", canonical(*answer)});
  } else {
    known.unknown.push_back(known.last);
  }
}

void Ledger::finished(const v1::Finished& message) {
  const auto found = matches_.extract(message.match_id());
  if (!found) return;
  Kept& known = found.mapped();
  if (known.is_open) known.unknown.push_back(known.last);
  const v1::Commitment& told = known.seated.commitment();
  const bool is_known = told.scheme() == "fairdeal/1" || told.scheme() == "fairdeal/2";
  if (is_known && !message.secret().empty()) {
    const Digest opened = sha256();
    add(opened, {"fairdeal/1/commit", told.epoch_id(), message.secret()});
    if (end_of(opened) != told.commit()) breach(known.seated, "what it reveals does not open its commitment");
  }
  const std::string name = v1::Termination_Name(message.termination());
  std::string termination = short_name(name, message.termination(), "TERMINATION_");
  for (char& letter : termination) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  write("finished", known.seated,
        ",\"termination\":" + in_quotes(termination) + ",\"ranks\":" + listed(message.ranks(), number) +
            ",\"scores\":" + listed(message.scores(), number) + ",\"secret\":" + in_quotes(hex(message.secret())) +
            ",\"told\":" + in_quotes(hex(end_of(known.digest))) + ",\"decisions\":" + number(known.last) +
            ",\"missed\":" + listed(known.missed, [](const std::string& each) { return each; }) +
            ",\"unknown\":" + listed(known.unknown, number));
}

Promise Ledger::promised(const std::string& epoch, const Promise& now) {
  const auto [first, is_new] = epochs_.try_emplace(epoch, now);
  const Promise promise = first->second;
  if (is_new) oldest_.push_back(epoch);
  if (oldest_.size() > kEpochs) {
    epochs_.erase(oldest_.front());
    oldest_.pop_front();
  }
  return promise;
}

void Ledger::breach(const v1::Seated& seated, const std::string& what) {
  log_("BREACH by the referee in match " + seated.match_id() + ", attempt " + std::to_string(seated.attempt()) + ": " +
       what + "; keep this and show it to the organiser");
  write("breach", seated, ",\"breach\":" + in_quotes(what));
}

void Ledger::write(const std::string& type, const v1::Seated& seated, const std::string& more) {
  if (!file_) return;
  const v1::Commitment& told = seated.commitment();
  const std::string line =
      "{\"type\":" + in_quotes(type) + ",\"match_id\":" + in_quotes(seated.match_id()) + ",\"attempt\":" +
      number(seated.attempt()) + ",\"game\":" + in_quotes(seated.game()) + ",\"seat\":" + number(seated.seat() - 1) +
      ",\"entries\":" + listed(seated.entries(), in_quotes) + ",\"scheme\":" + in_quotes(told.scheme()) +
      ",\"epoch_id\":" + in_quotes(told.epoch_id()) + ",\"commit\":" + in_quotes(hex(told.commit())) + ",\"manifest\":" +
      in_quotes(hex(told.manifest())) + more + "}\n";
  try {
    file_->write(line);
  } catch (const std::system_error& error) {
    if (!has_failed_) log_("what the bot is told cannot be kept: " + error.code().message());
    has_failed_ = true;
  }
}

}  // namespace fairdeal
