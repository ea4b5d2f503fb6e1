/** A test starts several processes, on a machine that does other things: slow is not wrong. */
export const timeout_ms = 180_000
