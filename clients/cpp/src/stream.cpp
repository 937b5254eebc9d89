#include "stream.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "fairdeal/errors.h"

namespace fairdeal {
namespace {

// reasons that another attempt cannot change
constexpr std::array<std::string_view, 8> kFinalReasons = {
    "MISSING_TOKEN",       "WRONG_SEAT",         "WRONG_ROLE",        "ENDED_BY_ORGANISER",
    "UNSUPPORTED_VERSION", "PROTOCOL_VIOLATION", "MESSAGE_TOO_LARGE", "REPLACED",
};

// the tags of a stream's operations
char opened;
char has_read;
char written;
char finished;

std::shared_ptr<grpc::Channel> open_channel(const Settings& settings) {
  grpc::ChannelArguments arguments;
  // each attempt dials by itself, at the bot's own pace, whoever else dials the same referee
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5'000);  // how long one attempt may take
  // servers end connections that ping more often than every five minutes, unless set otherwise
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 310'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetMaxReceiveMessageSize(1 << 20);
  const std::string host = settings.address.substr(0, settings.address.rfind(':'));
  if (host == "127.0.0.1" || host == "[::1]" || host == "localhost") {
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  }
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (settings.tls) {
    const auto& [ca, cert, key] = *settings.tls;
    credentials = grpc::SslCredentials({.pem_root_certs = ca, .pem_private_key = key, .pem_cert_chain = cert});
  }
  return grpc::CreateCustomChannel(settings.address, credentials, arguments);
}

std::string found(const grpc::ClientContext& context, const char* name) {
  const auto& trailing = context.GetServerTrailingMetadata();
  const auto entry = trailing.find(name);
  return entry == trailing.end() ? "" : std::string(entry->second.data(), entry->second.size());
}

}  // namespace

bool Broken::is_final(bool is_playing) const {
  if (reason == "SHUTTING_DOWN") return !is_playing;
  return std::find(kFinalReasons.begin(), kFinalReasons.end(), reason) != kFinalReasons.end();
}

bool Broken::is_passing() const {
  return kind == Kind::not_there || reason == "RATE_LIMITED" || reason == "TOO_MANY_SESSIONS";
}

void Broken::raise() const {
  switch (kind) {
    case Kind::rejected:
      throw Rejected(text, reason, incident);
    case Kind::replaced:
      throw Replaced(text, reason, incident);
    case Kind::lost:
      throw ConnectionLost(text);
    default:
      throw CannotConnect(text);
  }
}

Broken meaning(const grpc::Status& status, const grpc::ClientContext& context, const std::string& address,
               bool welcomed) {
  if (status.ok()) {
    const std::string text = "the referee at " + address + " ended the session";
    const std::string before = std::string(" before it welcomed the bot; check that it ") + kAsItShouldBe;
    return {Broken::Kind::lost, welcomed ? text : text + before};
  }
  const std::string reason = found(context, "fairdeal-reason");
  std::string text = status.error_message();
  if (text.empty()) text = "status " + std::to_string(status.error_code());
  if (!reason.empty()) {
    const auto kind = reason == "REPLACED" ? Broken::Kind::replaced : Broken::Kind::rejected;
    text = "the referee at " + address + " ended the session: " + text + " (" + reason + ")";
    return {kind, text, reason, found(context, "fairdeal-incident")};
  }
  if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) {
    return {Broken::Kind::no_referee, address + " answers, but it is not a referee: " + text};
  }
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE && !welcomed) {
    return {Broken::Kind::not_there, "no referee answers at " + address + ": " + text, "", "", text};
  }
  return {Broken::Kind::lost, "the session with the referee at " + address + " broke: " + text};
}

Stream::Stream(const Settings& settings, Events& events)
    : events_(events), channel_(open_channel(settings)), stub_(channel_) {
  if (!settings.token.empty()) context_.AddMetadata("authorization", "Bearer " + settings.token);
  call_ = stub_.PrepareCall(&context_, "/fairdeal.v1.PlayService/Play", &events_.queue());
  ++pending_;
  call_->StartCall(&opened);
}

Stream::~Stream() {
  context_.TryCancel();
  // a cancelled call ends at once, but its operations use this object until they are done
  while (pending_ > 0) take(events_.next(std::numeric_limits<double>::infinity()));
}

Stream::Step Stream::take(const Events::Event& event) {
  if (event.kind != Events::Kind::operation) return Step::nothing;
  --pending_;
  if (event.tag == &opened) {
    is_open_ = event.ok;
    event.ok ? read() : finish();
    return Step::nothing;
  }
  if (event.tag == &has_read) {
    if (event.ok) return Step::frame;
    finish();
    return Step::nothing;
  }
  if (event.tag == &written) {
    is_writing_ = false;
    if (!event.ok) {
      is_open_ = false;
      return Step::write_failed;
    }
    write_on();
    return Step::nothing;
  }
  return Step::ended;
}

v1::PlayResponse Stream::take_frame() {
  v1::PlayResponse frame;
  const grpc::Status parsed = grpc::SerializationTraits<v1::PlayResponse>::Deserialize(&frame_, &frame);
  read();
  if (!parsed.ok()) throw ProtocolError("the referee sent a frame that is not a message");
  return frame;
}

void Stream::send(std::vector<v1::PlayRequest> requests, bool is_last) {
  std::move(requests.begin(), requests.end(), std::back_inserter(outgoing_));
  closes_ = is_last;
  write_on();
}

void Stream::read() {
  ++pending_;
  call_->Read(&frame_, &has_read);
}

void Stream::finish() {
  is_open_ = false;
  if (std::exchange(is_finishing_, true)) return;
  ++pending_;
  call_->Finish(&status_, &finished);
}

void Stream::write_on() {
  if (!is_open_ || is_writing_) return;
  if (!outgoing_.empty()) {
    call_->Write(outgoing_.front(), &written);  // which serializes it at once
    outgoing_.pop_front();
  } else if (std::exchange(closes_, false)) {
    call_->WritesDone(&written);
  } else {
    return;
  }
  ++pending_;
  is_writing_ = true;
}

}  // namespace fairdeal
