// A referee that follows a script, behind a real socket.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fairdeal/v1/play_service.grpc.pb.h"
#include "telling.h"

namespace fairdeal::testing {

/// One stream of the referee.
class Talk {
 public:
  using Stream = grpc::ServerReaderWriter<v1::PlayResponse, v1::PlayRequest>;

  Talk(Stream& stream, grpc::ServerContext& context) : stream_(stream), context_(context) {}

  void tell(const v1::PlayResponse& frame) { stream_.Write(frame); }
  void tell(std::initializer_list<std::string> updates) { tell(frame(updates)); }

  /// Return the next request; nothing when the stream is over.
  std::optional<v1::PlayRequest> next() {
    v1::PlayRequest request;
    if (!stream_.Read(&request)) return std::nullopt;
    return request;
  }

  /// Read on until an answer comes.
  v1::Answer answer() {
    while (const auto request = next()) {
      if (request->answers_size()) return request->answers(0);
    }
    return {};
  }

  /// Read on to the end of the stream; return whether the last request was a goodbye.
  bool rest() {
    bool is_goodbye = false;
    while (const auto request = next()) is_goodbye = request->has_bye();
    return is_goodbye;
  }

  grpc::Status refuse(const std::string& reason, grpc::StatusCode code = grpc::StatusCode::ABORTED) {
    context_.AddTrailingMetadata("fairdeal-reason", reason);
    context_.AddTrailingMetadata("fairdeal-incident", "1a2b");
    return {code, "on purpose"};
  }

  std::string authorization() const {
    const auto found = context_.client_metadata().find("authorization");
    return found == context_.client_metadata().end() ? "" : std::string(found->second.data(), found->second.size());
  }

 private:
  Stream& stream_;
  grpc::ServerContext& context_;
};

/// Plays the scripts, one a stream; when there are no more, it refuses.
class Referee final : public v1::PlayService::Service {
 public:
  using Script = std::function<grpc::Status(Talk&)>;

  explicit Referee(std::vector<Script> scripts) : scripts_(std::move(scripts)) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    address = "127.0.0.1:" + std::to_string(port);
  }

  ~Referee() override { stop(); }

  /// Leave without a word.
  void stop() { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string address;

  /// Return how many streams there were.
  std::size_t streams() {
    const std::lock_guard lock(mutex_);
    return streams_;
  }

 private:
  grpc::Status Play(grpc::ServerContext* context, Talk::Stream* stream) override {
    Talk talk(*stream, *context);
    std::unique_lock lock(mutex_);
    const std::size_t number = streams_++;
    lock.unlock();
    return number < scripts_.size() ? scripts_[number](talk) : talk.refuse("WRONG_SEAT");
  }

  std::vector<Script> scripts_;
  std::mutex mutex_;
  std::size_t streams_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace fairdeal::testing
