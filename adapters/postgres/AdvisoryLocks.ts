/** The ids of all advisory locks, in one place so that they differ. */
export const advisoryLocks = {
  /** Every process that uses an embedded server holds it in shared mode while it uses the server. */
  embeddedServer: 7_249_013,
  /** Serializes migrations of all processes. */
  migration: 7_249_014,
  /** Serializes processes that configure credentials for one company. */
  configuredTokens: 7_249_015
}
