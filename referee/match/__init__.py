"""One match as a pure state machine: inputs with their times in, effects out."""
