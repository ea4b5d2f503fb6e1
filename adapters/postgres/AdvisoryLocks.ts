/** The numbers of Postgres's advisory locks that are in use here, in one place so that no two are the same. */
export const advisoryLocks = {
  /** Held, shared, by every process that uses an embedded server, for as long as it does. */
  embeddedServer: 7_249_013,
  /** Migrations of all processes wait for each other here. */
  migration: 7_249_014,
  /** Processes that give one company different credentials wait for each other here. */
  configuredTokens: 7_249_015
}
