use std::fs;
use std::path::PathBuf;

use super::*;

fn settle(options: Options, environment: &[(&str, &str)]) -> Result<Settings, Error> {
    Settings::settle(&options, "Mine", false, |variable| {
        let found = environment.iter().find(|(name, _)| *name == variable);
        found.map(|(_, value)| (*value).to_owned())
    })
}

fn refused(options: Options, environment: &[(&str, &str)]) -> String {
    match settle(options, environment) {
        Err(Error::BadSetting(text)) => text,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it is taken"),
    }
}

fn address(text: &str) -> Options {
    Options { address: Some(text.to_owned()), ..Options::default() }
}

/// A file with such contents, in a folder of the build.
fn file(name: &str, contents: &str) -> String {
    let path = PathBuf::from(env!("OUT_DIR")).join(name);
    fs::write(&path, contents).expect("a folder to write in");
    path.to_str().expect("a name in UTF-8").to_owned()
}

#[test]
fn without_anything_there_are_defaults() {
    let settings = settle(Options::default(), &[]).expect("settings");
    assert_eq!(settings.address, "127.0.0.1:7447");
    assert_eq!((settings.connect_timeout, settings.reconnect_timeout), (30.0, 60.0));
    assert!(settings.authorization.is_none());
    assert!(!settings.has_tls);
    assert_eq!(settings.keep, "/.local/state/fairdeal/kept/Mine/");
    let hello = v1::Hello {
        versions: vec![1],
        entry: "Mine".to_owned(),
        tables: 64,
        agent: "fairdeal-rust/0.1.0".to_owned(),
        redirects: true,
        ..v1::Hello::default()
    };
    assert_eq!(settings.hello, hello);
}

#[test]
fn the_next_stream_goes_where_the_referee_sends_the_bot() {
    let options = Options { address: Some("host:1".to_owned()), ..Options::default() };
    let mut settings = settle(options, &[]).expect("settings");
    for (sent_to, address) in
        [(":2", "host:2"), ("other:3", "other:3"), ("unix:/s", "unix:/s"), ("", "host:1")]
    {
        settings.go_to(sent_to).expect("an address");
        assert_eq!(settings.address, address);
    }
    assert!(settings.go_to("nonsense").is_err());
}

#[test]
fn the_environment_goes_before_the_defaults_and_options_before_it() {
    let environment = [
        ("FAIRDEAL_ADDRESS", "unix:/run/s"),
        ("FAIRDEAL_TOKEN", "secret"),
        ("FAIRDEAL_ENTRY", "alice"),
        ("FAIRDEAL_INSTANCE", "1"),
        ("FAIRDEAL_SEED", "spring"),
        ("FAIRDEAL_KEEP", "kept.jsonl"),
    ];
    let settings = settle(Options::default(), &environment).expect("settings");
    assert_eq!(settings.address, "unix:/run/s");
    assert_eq!(settings.authorization.expect("a token"), "Bearer secret");
    assert_eq!((settings.seed.as_str(), settings.keep.as_str()), ("spring", "kept.jsonl"));
    assert_eq!((settings.hello.entry.as_str(), settings.hello.instance.as_str()), ("alice", "1"));
    let given = |text: &str| Some(text.to_owned());
    let options = Options {
        address: given("[::1]:80"),
        token: given(""),
        entry: given("bob"),
        instance: given(""),
        seed: given(""),
        keep: given(""),
        ..Options::default()
    };
    let settings = settle(options, &environment).expect("settings");
    assert_eq!(settings.address, "[::1]:80");
    assert!(settings.authorization.is_none());
    assert_eq!((settings.seed.as_str(), settings.keep.as_str()), ("", ""));
    assert_eq!((settings.hello.entry.as_str(), settings.hello.instance.as_str()), ("bob", ""));
}

#[test]
fn events_are_asked_for_where_the_bot_wants_them() {
    let settings = Settings::settle(&Options::default(), "", true, |_| None).expect("settings");
    assert!(settings.hello.events);
}

#[test]
fn addresses_that_can_be() {
    for each in ["localhost:7447", "[::1]:7447", "10.0.0.1:1", "a-b.example:65535", "unix:/s", "unix:s"] {
        assert!(settle(address(each), &[]).is_ok(), "{each}");
    }
}

#[test]
fn addresses_that_cannot_be() {
    let wrong = [
        "nowhere",
        "127.0.0.1:+1",
        ":7447",
        "127.0.0.1:",
        "::1:7447",
        "unix:",
        "a b:1",
        "user@host:1",
        "http://host:1",
        "host/path:1",
    ];
    for each in wrong {
        let text = refused(address(each), &[]);
        assert_eq!(text, format!("address '{each}': must be HOST:PORT or unix:/PATH"));
    }
    for each in ["127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:99999", "[::1]:9999999999"] {
        assert_eq!(refused(address(each), &[]), format!("address '{each}': the port must be 1 to 65535"));
    }
    assert!(refused(address(""), &[]).starts_with("the address is empty"));
}

#[test]
fn other_settings_that_cannot_be() {
    let text = refused(Options { tables: 0, ..Options::default() }, &[]);
    assert_eq!(text, "tables 0: must be 1 or more");
    assert_eq!(refused(Options::default(), &[("FAIRDEAL_TOKEN", "a\nb")]), "token: must be printable ASCII");
    assert_eq!(refused(Options::default(), &[("FAIRDEAL_TOKEN", "ä")]), "token: must be printable ASCII");
    assert_eq!(refused(Options::default(), &[("FAIRDEAL_SEED", "ä")]), "seed 'ä': must be ASCII");
}

#[test]
fn files_for_tls_that_are_not_given() {
    let (ca, cert, key) = (("FAIRDEAL_CA", "ca"), ("FAIRDEAL_CERT", "cert"), ("FAIRDEAL_KEY", "key"));
    assert!(refused(Options::default(), &[ca, cert]).starts_with("cert cert: its key is missing"));
    assert!(refused(Options::default(), &[ca, key]).starts_with("key key: its certificate is missing"));
    let text = refused(Options::default(), &[cert, key]);
    assert!(text.starts_with("cert cert: the certificates to trust are missing"), "{text}");
}

#[test]
fn files_for_tls_that_cannot_be() {
    let missing = refused(Options::default(), &[("FAIRDEAL_CA", "/no/ca.pem")]);
    assert_eq!(missing, "CA file /no/ca.pem: No such file or directory");
    let empty = file("empty.pem", "nothing\n");
    let text = refused(Options::default(), &[("FAIRDEAL_CA", &empty)]);
    assert_eq!(text, format!("CA file {empty}: holds no certificates in PEM"));
    let broken = file("broken.pem", "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n");
    let text = refused(Options::default(), &[("FAIRDEAL_CA", &broken)]);
    assert_eq!(text, format!("CA file {broken}: holds no certificates in PEM"));
}

#[test]
fn a_certificate_and_a_key_that_are_none_of_a_pair() {
    // made by: openssl req -x509 -newkey ed25519 -nodes -days 36500 -subj /CN=test -addext basicConstraints=CA:FALSE
    let cert = file("cert.pem", CERT);
    let (key, other) = (file("key.pem", KEY), file("other.pem", OTHER_KEY));
    let settle_with = |cert: &str, key: &str| {
        let environment =
            [("FAIRDEAL_CA", &*file("ca.pem", CERT)), ("FAIRDEAL_CERT", cert), ("FAIRDEAL_KEY", key)];
        settle(address("localhost:1"), &environment).map(|settings| settings.has_tls && settings.has_cert)
    };
    assert_eq!(settle_with(&cert, &key), Ok(true));
    for (cert, key) in [(&cert, &other), (&key, &cert), (&cert, &cert)] {
        let error = settle_with(cert, key).expect_err("no pair");
        assert!(error.to_string().contains("are not a certificate and its key in PEM"), "{error}");
    }
}

#[test]
fn there_is_no_tls_over_a_unix_socket() {
    let ca = file("ca-for-unix.pem", CERT);
    let text = refused(address("unix:/s"), &[("FAIRDEAL_CA", &ca)]);
    assert!(text.contains("no TLS over a Unix socket"), "{text}");
}

const CERT: &str = "\
-----BEGIN CERTIFICATE-----
MIIBMTCB5KADAgECAhQlgXhBBlTO9lZHiIRmVL8KgTg2sDAFBgMrZXAwDzENMAsG
A1UEAwwEdGVzdDAgFw0yNjExMjExNDQ3MTFaGA8yMTI2MTAyODE0NDcxMVowDzEN
MAsGA1UEAwwEdGVzdDAqMAUGAytlcAMhAFbtT5g23pSyfSYSD6eEQejRGN1d7Qph
nPy/xj68M9w2o1AwTjAdBgNVHQ4EFgQUrEZuHyEfZpINWhMF1BVJzGBaX+kwHwYD
VR0jBBgwFoAUrEZuHyEfZpINWhMF1BVJzGBaX+kwDAYDVR0TAQH/BAIwADAFBgMr
ZXADQQB4pnJKj3lOgE8RnLL5oBLpO4cpC/kpoD7nAjV4+OKib3MJ2HPYQzqODn2v
CxG7m5nnnHATUCgQPEVSGgph0lQH
-----END CERTIFICATE-----
";
const KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJGG+bd/Exx4w4F8mFOBZKA0AzWqjGAetn2Qa+duzrZa
-----END PRIVATE KEY-----
";
const OTHER_KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIFRvr83WhLzbpZFEoF4uAlaPIjnLpKzPUY3+lTMESxn+
-----END PRIVATE KEY-----
";
