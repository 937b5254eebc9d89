"""The referee: the games, one match, many matches, and the server; ARCHITECTURE.md tells more.

Rooms from the top down; each uses only rooms below it, and those on one line do not use each other:

    server                gRPC around the core
    viewer                a match as a page that replays it
    transcript, verify    records as text for people; records verified
    storage               the journal of running matches, the records of finished ones
    core                  many matches and sessions, without I/O
    dealing, codec        decks and their keys; values as protobuf and JSON
    match                 one match as a pure state machine
    games                 the rules of each game, and what each seat may know
    files, cards, values  files written whole; cards as numbers; classes of small objects

An answer comes in at `server.play_service`, goes through `server.runtime` to `core.core`, and from there to
`match.match`, which asks the game. What comes out collects in the core. `storage.recorder` appends it to the
journal, and only then publishes it to the bots.

Of the rest of the project the referee knows `fairdeal.v1` alone, which is generated from proto/.
"""
