// One stream of a session, and what its end means.
#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "events.h"
#include "fairdeal/v1/play_service.grpc.pb.h"  // and how gRPC writes and reads its messages
#include "settings.h"

namespace fairdeal {

/// What follows the name or the address of a server in a text about it.
constexpr const char* kAsItShouldBe = "is a referee of the same version of fairdeal";

/// What broke a session.
struct Broken {
  enum class Kind { not_there, no_referee, lost, rejected, replaced };

  Kind kind;
  std::string text;           // one line for people
  std::string reason = {};    // the referee's, if it ended the session
  std::string incident = {};  // the same
  std::string why = {};       // what the network says, if nobody answers

  /// Return whether a bot that plays, or one that does not, has no reason to dial again.
  bool is_final(bool is_playing) const;

  /// Return whether a bot that was not welcomed yet has reason to dial again: nobody is there, or too many.
  bool is_passing() const;

  /// Throw it as the Error that it is.
  [[noreturn]] void raise() const;
};

/// Return what the end of a stream means for the bot, which the referee has welcomed or not.
Broken meaning(const grpc::Status& status, const grpc::ClientContext& context, const std::string& address,
               bool welcomed);

/// A stream, which fails at once where nobody answers. It is cancelled when it is destroyed.
class Stream {
 public:
  enum class Step { nothing, frame, write_failed, ended };

  Stream(const Settings& settings, Events& events);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  /// Record an operation that is done, and tell what is new.
  Step take(const Events::Event& event);

  /// Return the frame that has come, and read on.
  /// Throws ProtocolError: it is not a message.
  v1::PlayResponse take_frame();

  /// Return whether requests can be sent now.
  bool can_send() const { return is_open_ && !is_writing_ && outgoing_.empty(); }

  /// Send requests, one after the other, and with the last of all half-close the stream.
  void send(std::vector<v1::PlayRequest> requests, bool is_last);

  /// Return whether the referee was reached.
  bool is_connected() const { return channel_->GetState(false) == GRPC_CHANNEL_READY; }

  /// What the stream ended with.
  const grpc::Status& status() const { return status_; }
  const grpc::ClientContext& context() const { return context_; }

 private:
  void read();
  void finish();
  void write_on();

  Events& events_;
  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  // frames come as bytes: with gRPC's own reading of them, one that is not a message looks like the end of the stream
  grpc::TemplatedGenericStub<v1::PlayRequest, grpc::ByteBuffer> stub_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::PlayRequest, grpc::ByteBuffer>> call_;
  grpc::ByteBuffer frame_;
  std::deque<v1::PlayRequest> outgoing_;
  grpc::Status status_;
  int pending_ = 0;  // operations that are not done
  bool is_open_ = false;
  bool is_writing_ = false;
  bool closes_ = false;  // whether to half-close when all is sent
  bool is_finishing_ = false;
};

}  // namespace fairdeal
