//! Generates the protocol's messages and client from `../../proto`, the checkout's own, without a `protoc`.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    println!("cargo:rerun-if-changed={}", proto.display());
    let descriptors = protox::compile(["fairdeal/v1/play_service.proto"], [&proto])
        .map_err(|error| format!("{error} (looked for in {})", proto.display()))?;
    tonic_prost_build::configure().build_client(false).build_server(false).compile_fds(descriptors)?;
    Ok(())
}
