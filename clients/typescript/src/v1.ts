/** The messages of the protocol, as ts-proto makes them from proto/fairdeal/v1. */

export * from "./gen/fairdeal/v1/actions.js";
export * from "./gen/fairdeal/v1/cards.js";
export * from "./gen/fairdeal/v1/events.js";
export * from "./gen/fairdeal/v1/games.js";
export * from "./gen/fairdeal/v1/play_service.js";
export * from "./gen/fairdeal/v1/views.js";
export { Duration } from "./gen/google/protobuf/duration.js";
