// What a bot keeps of its matches, so that it can show what it was told before, and what it said. docs/bots.md says what
// a line holds and how the digest is made.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fairdeal/v1/play_service.pb.h"
#include "log.h"

struct evp_md_ctx_st;

namespace fairdeal {

/// What was committed to for an epoch: the scheme, and the commitment in hexadecimal.
using Promise = std::pair<std::string, std::string>;

/// The file to which a bot appends its lines, and perhaps other processes of the same bot theirs.
class KeptFile {
 public:
  /// Throws std::system_error: it cannot be opened.
  explicit KeptFile(const std::string& path);
  ~KeptFile();
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;

  /// Return how long it is, in bytes.
  off_t size() const;

  /// Append a line, behind one that was cut off a new one; throws std::system_error.
  void write(const std::string& line);

  /// Return what was promised in the lines that were appended since the last call, by whomever, each behind its epoch;
  /// at first, in the last 16 MB. What is no line of a bot, or not whole, is passed over.
  std::vector<std::pair<std::string, Promise>> epochs();

 private:
  /// Whether the last line has no end: the disk was full, or a process was killed.
  bool is_cut_off() const;

  std::string path_;
  int file_;
  bool is_file_;    // of a pipe nothing can be read
  off_t read_ = 0;  // so many bytes were read
};

/// Keeps what one bot is told and says in a file; without one only breaches are looked for.
class Ledger {
 public:
  using Log = std::function<void(const std::string&)>;

  /// `keep` is the path of a file or, with a slash at the end, of a folder; empty for none. A file of a folder is
  /// followed by another one when it is longer than `most_of_a_file`, in bytes.
  /// Throws BadSetting: the file cannot be written.
  explicit Ledger(const std::string& keep = "", Log log = [](const std::string& text) { log_line(text); },
                  off_t most_of_a_file = off_t{32} << 20);

  /// Take a seat, or the same seat again.
  void seated(const v1::Seated& message);

  /// Take a decision that is told for the first time.
  void asked(const v1::Decision& message);

  /// Take the end of a decision, with what the bot had answered to it; null: nothing.
  void closed(const v1::Closed& message, const v1::Answer* answer);

  /// Take the end of a match, and check what is revealed.
  void finished(const v1::Finished& message);

  /// Drop a match that the referee does not know any more.
  void forgotten(const std::string& match_id) { matches_.erase(match_id); }

 private:
  struct Kept {
    v1::Seated seated;
    std::shared_ptr<evp_md_ctx_st> digest;
    std::uint32_t last = 0;  // the decision that was told last
    bool is_open = false;
    std::vector<std::string> missed = {};      // first and last of decisions that were not told, as JSON
    std::vector<std::uint32_t> unknown = {};   // decisions of whose end nothing was told
  };

  void next_file();
  Promise promised(const std::string& epoch, const Promise& now);
  void breach(const v1::Seated& seated, const std::string& what);
  void write(const std::string& type, const v1::Seated& seated, const std::string& more = "");

  Log log_;
  std::unique_ptr<KeptFile> file_;
  std::string folder_;  // where files are made, or empty
  off_t most_of_a_file_;
  bool has_no_folder_ = false;
  bool has_failed_ = false;
  std::map<std::string, Kept> matches_;
  std::map<std::string, Promise> epochs_;
  std::deque<std::string> oldest_;  // epochs, in the order in which they were told first
};

}  // namespace fairdeal
