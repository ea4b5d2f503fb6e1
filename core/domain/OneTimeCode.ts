import { DateTime, Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Environment } from "./Company.ts"
import type { InsuranceId } from "./Ids.ts"

/** How long a code is valid. Contract: 8. */
export const codeLife = Duration.minutes(10)

/**
 * Maximum number of wrong attempts for one insurance, counted over all its codes. After the last of them the
 * insurance is blocked permanently. Contract: 8.
 */
export const attempts_max = 5

/** Maximum number of resends after the first code, if all messages are delivered. */
export const resends_max = 5

/** Two counts of an insurance: codes sent after the first code, and messages that were not delivered. */
interface CodesSent {
  readonly resends: number
  readonly undelivered: number
}

/**
 * Whether another code may be sent. An undelivered message does not count, because the phone received no code. The SQL
 * statement that resends a code repeats this rule.
 */
export const mayResend = ({ resends, undelivered }: CodesSent): boolean => resends < resends_max + undelivered

const digits = 6

/** The fixed code of the simulator. Contract: 5. */
const simulated = "123456"

/** Draws a random code. In development the code is always the simulator's fixed code. */
export const drawCode = Effect.fnUntraced(function* (environment: Environment) {
  if (environment === "development") return simulated
  const random = yield* SecureRandom.SecureRandom
  const drawn = yield* random.intBetween(0, 10 ** digits - 1)
  return String(drawn).padStart(digits, "0")
})

/**
 * The input of the stored hash. It contains the insurance id, so that equal codes of two insurances have different
 * hashes.
 */
export const codeMaterial = (id: InsuranceId, code: string): string => `seguro:${id}:${code}`

/** The stored record of the last code sent. */
export interface SentCode {
  readonly hash: string
  readonly expiresAt: DateTime.Utc
}

/** Whether the code has not expired. */
export const isLive = ({ expiresAt }: SentCode, now: DateTime.Utc): boolean => DateTime.isLessThan(now, expiresAt)

/**
 * Text of the SMS. It uses only letters of the GSM alphabet. Any other letter would split the text into two messages.
 */
export const codeMessage = (code: string): string =>
  `${code} es su clave para contratar un seguro. Vence en ${Duration.toMinutes(codeLife)} minutos. No la comparta con nadie que no le esté atendiendo.`
