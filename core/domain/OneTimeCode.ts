import { DateTime, Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Environment } from "./Company.ts"
import type { InsuranceId } from "./Ids.ts"

/** How long a code is valid. Contract: 8. */
export const codeLife = Duration.minutes(10)

/** The most wrong attempts of one insurance, over all its codes. After them it is blocked permanently. Contract: 8. */
export const attempts_max = 5

/** The most resends after the first code, if all messages are delivered. */
export const resends_max = 5

/** The codes of an insurance that were sent after the first, and the messages that did not reach the owner. */
interface CodesSent {
  readonly resends: number
  readonly undelivered: number
}

/**
 * Whether another code may be sent. A message that failed does not count, because its owner got no code. The statement
 * that resends a code repeats this rule.
 */
export const mayResend = ({ resends, undelivered }: CodesSent): boolean => resends < resends_max + undelivered

const digits = 6

/** The fixed code of the simulator. Contract: 5. */
const simulated = "123456"

/** Draws a code for an owner's phone. */
export const drawCode = Effect.fnUntraced(function* (environment: Environment) {
  if (environment === "development") return simulated
  const random = yield* SecureRandom.SecureRandom
  const drawn = yield* random.intBetween(0, 10 ** digits - 1)
  return String(drawn).padStart(digits, "0")
})

/**
 * The text whose hash is stored. It contains the insurance id, so that equal codes of two insurances have different
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

/** Text of the SMS. It uses only letters of the GSM alphabet: any other letter would split it into two messages. */
export const codeMessage = (code: string): string =>
  `${code} es su clave para contratar un seguro. Vence en ${Duration.toMinutes(codeLife)} minutos. No la comparta con nadie que no le esté atendiendo.`
