#include "connection.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "fairdeal/errors.h"
#include "log.h"

namespace fairdeal {
namespace {

constexpr double kGoodbyeSeconds = 3;     // how long the end of a session may take
constexpr double kAnswerSeconds = 3;      // how long the referee may take to say that no more matches come
constexpr double kSilentHeartbeats = 3;   // after so many without a frame the referee counts as gone
constexpr double kLeastPatience = 1;      // the last attempt needs time to find out why it fails
constexpr double kLongestFirstDelay = 1;  // a referee that is just starting should be found soon
constexpr int kMoves = 4;                 // how often a bot that was just sent on is sent on before it waits
constexpr double kMoment = 1;             // how long it waits then
constexpr double kSilence = 2;            // after so long without a referee, a line says why
constexpr double kNever = std::numeric_limits<double>::infinity();

// how an error looks when nothing listens at the address
constexpr std::array<const char*, 4> kNobodyThere = {"Failed to connect to remote host", "DNS resolution failed",
                                                     "imeout", "timed out"};

/// Return advice where a server answers, but TLS may be missing on one side, or differ.
std::string hint(const Settings& settings, const std::string& why) {
  const auto says = [&](const char* sign) { return why.find(sign) != std::string::npos; };
  const bool hangs_up = says("Socket closed");
  if (!settings.tls) return hangs_up ? "; if it speaks TLS, give ca (FAIRDEAL_CA)" : "";
  if (std::any_of(kNobodyThere.begin(), kNobodyThere.end(), says)) return "";
  std::string text = "; check FAIRDEAL_CA, and that the referee speaks TLS";
  if (hangs_up && settings.tls->cert.empty()) {
    text += "; if it wants a certificate, give cert and key (FAIRDEAL_CERT, FAIRDEAL_KEY)";
  }
  return text;
}

/// Log the fault for which a decision was closed, if it was for one, and that its note was dropped.
void log_closed(const Closed& closed) {
  const v1::Closed& message = closed.message;
  const std::string where = "match " + closed.match->id + ", decision " + std::to_string(message.decision_id()) + ": ";
  if (message.fault()) {
    log_line(where + short_name(v1::Fault_Name(message.fault()), message.fault(), "FAULT_") +
             ": the referee played the default action");
  }
  if (message.note_dropped()) {
    log_line(where + "the referee did not keep the note: it is too long or not UTF-8, or too many came");
  }
}

}  // namespace

Connection::Connection(const Settings& settings, bool wants_events, double share)
    : settings_(settings),
      home_(settings.address),
      share_(share),
      session_(hello(settings, wants_events), settings.seed, Ledger(settings.keep)),
      answer_by_(kNever) {}

void Connection::run() {
  std::exception_ptr failure;
  try {
    play();
  } catch (const ProtocolError& error) {
    const std::string text = error.what() + ("; check that " + settings_.address) + " " + kAsItShouldBe;
    failure = std::make_exception_ptr(ProtocolError(text));
  } catch (...) {
    failure = std::current_exception();
  }
  const Lock lock(mutex_);
  session_.leave();
  failure_ = failure;
  is_over_ = true;
  told_.notify_one();
}

bool Connection::wait(std::vector<Update>& updates) {
  Lock lock(mutex_);
  told_.wait(lock, [this] { return is_over_ || !updates_.empty(); });
  updates = std::exchange(updates_, {});
  if (!updates.empty()) return true;
  if (failure_) std::rethrow_exception(failure_);
  return false;
}

bool Connection::is_open(const Decision& decision) {
  const Lock lock(mutex_);
  return session_.is_open(decision);
}

void Connection::answer(const Decision& decision, const Answer& answer) {
  {
    const Lock lock(mutex_);
    session_.answer(decision, answer);
  }
  events_.wake(share_);
}

void Connection::finish() {
  Lock lock(mutex_);
  const std::size_t playing = session_.playing();
  if (playing || session_.welcomed()) {
    session_.retire();
    answer_by_ = now() + kAnswerSeconds;
  } else {
    session_.leave();
  }
  lock.unlock();
  if (playing) {
    const std::string matches = playing == 1 ? "1 match" : std::to_string(playing) + " matches";
    log_line("finishing " + matches + "; a second Ctrl-C leaves now");
  }
  events_.wake();
}

void Connection::stop() {
  {
    const Lock lock(mutex_);
    session_.leave();
  }
  events_.wake();
}

void Connection::play() {
  const double began = now();
  bool has_told = false;
  Backoff arrival(began, settings_.connect_timeout, kLongestFirstDelay);
  std::optional<Backoff> comeback;
  while (const std::optional<Broken> broken = over_stream(comeback ? *comeback : arrival)) {
    const double time = now();
    Lock lock(mutex_);
    const bool welcomed = session_.welcomed();
    const bool is_playing = session_.playing() > 0;
    const bool is_done = session_.retiring() && !is_playing;
    const std::optional<std::string> sent_to = session_.sent_to();
    lock.unlock();
    if (welcomed) {
      if (!comeback) comeback.emplace(time, settings_.reconnect_timeout);
      const double lasted = time - welcomed_at_;
      // a bot that is too fast whenever it is back must not dial forever
      if (lasted >= Backoff::kLasting || !broken->is_passing()) {
        comeback->restart(time, settings_.reconnect_timeout, lasted);
      }
    }
    if (is_done) return;
    if (sent_to) {
      if (!move_on(*sent_to, time)) return;
      continue;
    }
    const bool may_return = comeback || broken->is_passing();
    if (!may_return || broken->is_final(is_playing)) broken->raise();
    const std::optional<double> delay = (comeback ? *comeback : arrival).next_delay(time);
    if (!delay) welcomed ? broken->raise() : give_up(*broken);  // welcomed: there was no time to dial again
    if (welcomed || is_sent_) {
      was_lost_ = true;
      log_line(broken->text + "; dialling again for up to " + plain(settings_.reconnect_timeout) + " s");
    } else if (!was_lost_ && !has_told && time - began >= kSilence) {
      has_told = true;
      log_line(broken->text + "; dialling for up to " + plain(settings_.connect_timeout) + " s");
    }
    settings_.address = home_;
    is_sent_ = false;
    lock.lock();
    session_.rejoin();
    lock.unlock();
    if (!pause(*delay)) return;
  }
}

/// Go on where the referee sends the bot, at once unless it is sent to and fro; false when the bot leaves instead.
bool Connection::move_on(const std::string& sent_to, double time) {
  moves_ = time - welcomed_at_ < kMoment ? moves_ + 1 : 0;
  settings_.address = place_of(sent_to, home_);
  is_sent_ = true;
  {
    const Lock lock(mutex_);
    session_.rejoin();
  }
  return moves_ > kMoves ? pause(kMoment) : !is_leaving();
}

/// Throw the error for the end of the time for dialling.
void Connection::give_up(const Broken& broken) const {
  if (was_lost_) {
    throw ConnectionLost(broken.text + "; the bot dialled again for " + plain(settings_.reconnect_timeout) + " s");
  }
  if (broken.kind == Broken::Kind::not_there) {
    throw CannotConnect("no referee answers at " + settings_.address + " within " +
                        plain(settings_.connect_timeout) + " s: " + broken.why + hint(settings_, broken.why));
  }
  if (broken.kind == Broken::Kind::rejected) {
    const std::string text = broken.text + "; the bot dialled for " + plain(settings_.connect_timeout) + " s";
    throw Rejected(text, broken.reason, broken.incident);
  }
  broken.raise();
}

/// Wait for so long; false when the bot leaves instead.
bool Connection::pause(double seconds) {
  const double until = now() + seconds;
  while (!is_leaving()) {
    if (events_.next(until).kind == Events::Kind::timeout) return true;
  }
  return false;
}

/// Play over one stream until it ends; return what broke it, nothing when the bot has left.
/// Throws Replaced, ProtocolError.
std::optional<Broken> Connection::over_stream(Backoff& backoff) {
  const double left = backoff.left(now());
  const double patience = std::max(kLeastPatience, std::min(settings_.connect_timeout, left));
  Stream stream(settings_, events_);
  return converse(stream, now() + patience);
}

std::optional<Broken> Connection::converse(Stream& stream, double deadline) {
  std::optional<Broken> broken;
  std::exception_ptr failure;
  bool is_parting = false;
  while (true) {
    if (!is_parting && is_leaving()) {
      is_parting = true;
      // do not wait for a referee that was never reached
      deadline = now() + (stream.is_connected() ? kGoodbyeSeconds : 0);
    }
    send(stream);
    const double answer_by = this->answer_by();
    const Events::Event event = events_.next(std::min(deadline, answer_by));
    if (event.kind == Events::Kind::timeout) {
      if (answer_by < deadline) {
        const Lock lock(mutex_);
        session_.drain();  // an older referee does not know the request, and does not answer
        answer_by_ = kNever;
        continue;
      }
      broken = silence();
      break;
    }
    if (event.kind == Events::Kind::wake) {
      const Lock lock(mutex_);
      session_.flush();
      continue;
    }
    const Stream::Step step = stream.take(event);
    if (step == Stream::Step::frame) {
      try {
        const double patience = receive(stream.take_frame());
        if (!is_parting) deadline = now() + patience;
      } catch (const Error&) {
        failure = std::current_exception();
        const Lock lock(mutex_);
        session_.leave();
      }
    } else if (step == Stream::Step::write_failed) {
      deadline = std::min(deadline, now() + kGoodbyeSeconds);  // the end of the stream says why
    } else if (step == Stream::Step::ended) {
      const Lock lock(mutex_);
      broken = meaning(stream.status(), stream.context(), settings_.address, session_.welcomed());
      break;
    }
  }
  if (failure) std::rethrow_exception(failure);
  if (is_leaving()) return std::nullopt;
  return broken;
}

void Connection::send(Stream& stream) {
  if (!stream.can_send()) return;
  Lock lock(mutex_);
  if (session_.left()) return;
  std::vector<v1::PlayRequest> requests = session_.take_requests();
  const bool is_last = session_.left();
  lock.unlock();
  stream.send(std::move(requests), is_last);
}

/// Take a frame in, and return for how many seconds the referee may be silent from now on.
double Connection::receive(v1::PlayResponse frame) {
  const Lock lock(mutex_);
  std::vector<Update> updates = session_.receive(std::move(frame));
  if (session_.frames() == 1) {
    welcomed_at_ = now();
    if (was_lost_ && !is_sent_) log_line("the session with the referee at " + settings_.address + " is back");
  }
  for (const Update& update : updates) {
    if (const auto* closed = std::get_if<Closed>(&update)) log_closed(*closed);  // the bot may be busy for ever
  }
  if (!updates.empty()) {
    updates_.insert(updates_.end(), std::make_move_iterator(updates.begin()),
                    std::make_move_iterator(updates.end()));
    told_.notify_one();
  }
  return session_.heartbeat() > 0 ? kSilentHeartbeats * session_.heartbeat() : kNever;
}

Broken Connection::silence() {
  const Lock lock(mutex_);
  if (session_.welcomed()) {
    return {Broken::Kind::lost, "the referee at " + settings_.address + " is not responding"};
  }
  return {Broken::Kind::no_referee, "the referee at " + settings_.address + " did not welcome the bot in time"};
}

bool Connection::is_leaving() {
  const Lock lock(mutex_);
  return session_.leaving();
}

double Connection::answer_by() {
  const Lock lock(mutex_);
  return answer_by_;
}

}  // namespace fairdeal
