import { DateTime, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { InsuranceId } from "../domain/Ids.ts"
import type { Insurance } from "../domain/Insurance.ts"
import { codeLife, codeMaterial, codeMessage, drawCode } from "../domain/OneTimeCode.ts"
import type { CodeToSend } from "../ports/Insurances.ts"
import { Vault } from "../ports/Vault.ts"
import { InFlight } from "./InFlight.ts"
import { sendSms, smsLease } from "./SendSms.ts"

/** The insurance whose owner receives a code. */
type Owner = Pick<Insurance, "companyId" | "environment" | "insured">

/** Draws a code and writes its message. Only a keyed hash of the code is stored. Contract: 8. */
export const newCode = Effect.fn("SendCode.newCode")(function* (id: InsuranceId, { environment, insured }: Owner) {
  const vault = yield* Vault
  const random = yield* SecureRandom.SecureRandom
  const at = yield* DateTime.now
  const code = yield* drawCode(environment)
  const expiresAt = DateTime.addDuration(at, codeLife)
  const message = { id: yield* random.uuidV7(), to: insured.phone, text: codeMessage(code) }
  return {
    code: { hash: yield* vault.mac(codeMaterial(id, code)), expiresAt },
    sms: { message, expiresAt, leasedUntil: DateTime.addDuration(at, smsLease), at }
  } satisfies CodeToSend
})

/**
 * Sends a code that was just staged. Goes on when the caller disconnects.
 *
 * @returns whether the gateway accepted the message.
 */
export const sendCode = Effect.fn("SendCode.sendCode")(function* (
  id: InsuranceId,
  { companyId, environment }: Owner,
  { sms: { at, expiresAt, message } }: CodeToSend
) {
  const inFlight = yield* InFlight
  const claimed = {
    companyId,
    environment,
    message,
    expiresAt,
    insuranceId: id,
    createdAt: at,
    tries: 1,
    accounted: true
  }
  return yield* inFlight.run(sendSms(claimed))
})
