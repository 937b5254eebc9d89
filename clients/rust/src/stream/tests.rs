use super::*;

use tonic::metadata::MetadataMap;

const ADDRESS: &str = "127.0.0.1:7447";

fn ended(code: Code, text: &str, trailing: &[(&'static str, &str)]) -> Status {
    let mut metadata = MetadataMap::new();
    for (name, value) in trailing {
        metadata.insert(*name, value.parse().expect("ASCII"));
    }
    Status::with_metadata(code, text, metadata)
}

fn rejected(reason: &str) -> Broken {
    let status = ended(Code::Aborted, "text", &[("fairdeal-reason", reason)]);
    meaning(&status, ADDRESS, true)
}

#[test]
fn a_reason_says_why_the_referee_ended_the_session() {
    let trailing = [("fairdeal-reason", "MISSING_TOKEN"), ("fairdeal-incident", "i-1")];
    let broken = meaning(&ended(Code::Unauthenticated, "no token", &trailing), ADDRESS, false);
    let expected = Rejection {
        text: format!("the referee at {ADDRESS} ended the session: no token (MISSING_TOKEN)"),
        reason: "MISSING_TOKEN".to_owned(),
        incident: "i-1".to_owned(),
    };
    assert_eq!(broken.error, Error::Rejected(expected));
    assert!(broken.absence.is_none());
    assert!(matches!(rejected("REPLACED").error, Error::Replaced(_)));
}

#[test]
fn some_reasons_are_final() {
    let tokens_and_roles = ["MISSING_TOKEN", "WRONG_SEAT", "WRONG_ROLE", "ENDED_BY_ORGANISER"];
    let protocol = ["UNSUPPORTED_VERSION", "PROTOCOL_VIOLATION", "MESSAGE_TOO_LARGE", "REPLACED"];
    for reason in tokens_and_roles.iter().chain(&protocol) {
        assert!(rejected(reason).is_final(true), "{reason}");
    }
    for reason in ["SLOW_READER", "IDLE", "INTERNAL", "RATE_LIMITED"] {
        assert!(!rejected(reason).is_final(false), "{reason}");
    }
    assert!(rejected("SHUTTING_DOWN").is_final(false));
    assert!(!rejected("SHUTTING_DOWN").is_final(true));
    assert!(!Broken::from(Error::ConnectionLost(String::new())).is_final(false));
}

#[test]
fn a_server_without_the_service_is_no_referee() {
    let broken = meaning(&ended(Code::Unimplemented, "Method not found!", &[]), ADDRESS, false);
    let text = format!("{ADDRESS} answers, but it is not a referee: Method not found!");
    assert_eq!(broken.error, Error::CannotConnect(text));
    assert!(broken.absence.is_none());
}

#[test]
fn before_the_welcome_a_network_that_fails_means_absence() {
    let reset = || std::io::Error::new(std::io::ErrorKind::ConnectionReset, "reset by peer");
    let broken = meaning(&Status::from_error(Box::new(reset())), ADDRESS, false);
    assert_eq!(broken.error.to_string(), format!("no referee answers at {ADDRESS}: reset by peer"));
    assert!(broken.absence.is_some_and(|absence| absence.why == "reset by peer" && absence.hung_up));
    let broken = meaning(&ended(Code::Unavailable, "try later", &[]), ADDRESS, false);
    assert!(broken.absence.is_some_and(|absence| absence.why == "try later" && !absence.hung_up));
    let broken = meaning(&Status::from_error(Box::new(reset())), ADDRESS, true);
    let text = format!("the session with the referee at {ADDRESS} broke: reset by peer");
    assert_eq!(broken.error, Error::ConnectionLost(text));
    assert!(broken.absence.is_none());
}

#[test]
fn a_status_without_words_is_named() {
    let broken = meaning(&ended(Code::Internal, "", &[]), ADDRESS, true);
    assert!(broken.error.to_string().ends_with("broke: Internal error"), "{}", broken.error);
}
