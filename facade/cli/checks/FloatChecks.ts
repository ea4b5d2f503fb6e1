import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { tableExists } from "../../../adapters/postgres/connection/Sql.ts"
import * as FloatsPostgres from "../../../adapters/postgres/directory/FloatsPostgres.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { showFloats } from "../../../core/workflows/ReadFloat.ts"
import { Settings } from "../../settings/Settings.ts"
import { type Check, isolated, passed, warned } from "./Check.ts"

type Shown = Effect.Success<ReturnType<typeof showFloats>>[number]

const formatBalances = ({ balances }: Pick<Shown, "balances">): string =>
  balances.map(({ available, unit }) => `${available} ${unit}`).join(", ")

const checkOf = (reading: Shown, now: DateTime.Utc): Check => {
  const { balances, provider, readAt, state } = reading
  const last = readAt === null ? "never" : formatLocal(readAt)
  if (state === "fallida") {
    return warned("float", `the last question about the balance at ${provider} had no answer; last answer: ${last}`)
  }
  if (state === "antigua") {
    const age_min = Math.floor(Duration.toMinutes(DateTime.distance(readAt ?? now, now)))
    return warned("float", `the balance at ${provider} was last read ${age_min} minutes ago: check that a server runs`)
  }
  if (balances.length === 0) return passed("float", `${provider} does not report its balance`)
  const shown = `${formatBalances(reading)} left at ${provider}, read at ${last}`
  return balances.some(({ low }) => low)
    ? warned("float", `${shown}: below FLOAT_ALERT, pay in before the provider refuses sales`)
    : passed("float", shown)
}

const float = Effect.gen(function* () {
  const { floatAlert, floatEvery, provider } = (yield* Settings).externalServices
  const sql = yield* SqlClient.SqlClient
  if (provider === null) return passed("float", "PROVIDER is not set")
  if (floatEvery === null) return warned("float", "FLOAT_EVERY is off: a used-up balance is noticed by refused sales")
  if (!(yield* tableExists(sql, "directory.provider_float"))) return passed("float", "there are no tables yet")
  const shown = yield* showFloats(floatEvery, floatAlert)
  const reading = shown.find((each) => each.provider === provider._tag)
  return reading === undefined
    ? passed("float", "no server has read the balance yet")
    : checkOf(reading, yield* DateTime.now)
})

/** Checks the stored result of the last query for the balance at the provider. Sends no request to the provider. */
export const floatChecks = Effect.all([isolated("float", Effect.provide(float, FloatsPostgres.layer))])
