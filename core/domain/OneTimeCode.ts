import { DateTime, Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Environment } from "./Company.ts"
import type { InsuranceId } from "./Ids.ts"

/** A code may be used for this long. Contract: 8. */
export const codeLife = Duration.minutes(10)

/** So many wrong codes close the process for good, however many codes were sent. Contract: 8. */
export const attempts_max = 5

/** So many codes may be sent after the first. */
export const resends_max = 5

const digits = 6

/** Everybody knows the code of a simulated insurance. Contract: 5. */
const simulated = "123456"

/** A new code for an owner's phone. */
export const drawCode = Effect.fnUntraced(function* (environment: Environment) {
  if (environment === "development") return simulated
  const random = yield* SecureRandom.SecureRandom
  const drawn = yield* random.intBetween(0, 10 ** digits - 1)
  return String(drawn).padStart(digits, "0")
})

/** What is hashed of a code: six digits alone would be found by trying them all, and be the same in every process. */
export const codeMaterial = (id: InsuranceId, code: string): string => `seguro:${id}:${code}`

/** What is kept of the last code that was sent. */
export interface SentCode {
  readonly hash: string
  readonly expiresAt: DateTime.Utc
}

/** May the code, if it is the right one, still be used? */
export const isLive = ({ expiresAt }: SentCode, now: DateTime.Utc): boolean => DateTime.isLessThan(now, expiresAt)

/** What the owner reads: one message of the letters that every phone has, as any other letter would make it two. */
export const codeMessage = (code: string): string =>
  `${code} es su clave para contratar un seguro. Vence en ${Duration.toMinutes(codeLife)} minutos. No la comparta con nadie que no le esté atendiendo.`
