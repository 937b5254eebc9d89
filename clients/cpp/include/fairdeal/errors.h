// What can go wrong for a bot. Each text is one line for people.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace fairdeal {

/// Anything that ends a session other than its own end.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An invalid setting; the text names it and what is allowed.
class BadSetting : public Error {
 public:
  using Error::Error;
};

/// No referee answers at the address.
class CannotConnect : public Error {
 public:
  using Error::Error;
};

/// The session broke: the referee, or the way to it, is gone.
class ConnectionLost : public Error {
 public:
  using Error::Error;
};

/// The referee sent something that this version does not understand.
class ProtocolError : public Error {
 public:
  using Error::Error;
};

/// The referee refused the session or ended it.
class Rejected : public Error {
 public:
  Rejected(const std::string& text, std::string reason, std::string incident = "")
      : Error(text), reason_(std::move(reason)), incident_(std::move(incident)) {}

  /// One of the protocol's stable reasons, such as `MISSING_TOKEN`.
  const std::string& reason() const noexcept { return reason_; }

  /// What names the occurrence in the referee's log; may be empty.
  const std::string& incident() const noexcept { return incident_; }

 private:
  std::string reason_;
  std::string incident_;
};

/// A newer session of the same entry and instance took over.
class Replaced : public Rejected {
 public:
  using Rejected::Rejected;
};

}  // namespace fairdeal
