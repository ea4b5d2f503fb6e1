import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import type { DeliveryResult, SmsResult } from "../../../core/ports/Outbox.ts"
import { CommandLine } from "../../support/CommandLine.ts"
import { codeToSend, insurance as example, newInsurance } from "../../support/InsuranceExample.ts"
import { insurancesReplica, outboxReplica } from "../../support/SalesOnPostgres.ts"

/**
 * An SMS of a company, queued at the given instant. A null sending result means that the SMS is still queued. A null delivery
 * result means that the delivery was not queried.
 */
const messageOf = Effect.fnUntraced(function* (
  company: number,
  iso: string,
  result: SmsResult | null,
  delivery: DeliveryResult | null = null
) {
  const insurances = yield* insurancesReplica
  const outbox = yield* outboxReplica
  const at = DateTime.makeUnsafe(iso)
  const { code, sms } = yield* codeToSend("771177 es su código")
  const { companyId, id } = yield* insurances.create(
    yield* insurances.nextId(CompanyId.make(company)),
    yield* newInsurance(company),
    {
      code,
      sms: { ...sms, at }
    }
  )
  if (result !== null) yield* outbox.record({ companyId, insuranceId: id, message: sms.message }, result, at)
  if (delivery !== null) {
    const claimed = yield* outbox.claimTraced({ now: at, lease: Duration.minutes(1), limit: 1 })
    yield* Effect.forEach(claimed, (traced) => outbox.recordDelivery(traced, delivery))
  }
  return { sms_id: sms.message.id, empresa_id: company, seguro_id: id }
}, Effect.scoped)

const later = { _tag: "Later", at: DateTime.makeUnsafe("2026-03-02T15:00:00Z"), reason: "busy" } as const

/** Queues SMS with every delivery result. Returns the expected list of failed ones, newest first. */
const endedInEveryWay = Effect.gen(function* () {
  const failed = yield* messageOf(7, "2026-03-02T14:30:00Z", { _tag: "Failed", reason: "twilio_21211" })
  yield* messageOf(7, "2026-03-02T14:31:00Z", { _tag: "Sent", reference: "SM1" })
  yield* messageOf(7, "2026-03-02T14:32:00Z", later)
  yield* messageOf(7, "2026-03-02T14:33:00Z", null)
  const accepted = { _tag: "Sent", reference: "SM2", askAt: DateTime.makeUnsafe("2026-03-02T14:34:00Z") } as const
  yield* messageOf(7, "2026-03-02T14:34:00Z", accepted, { _tag: "Delivered" })
  const lost = yield* messageOf(7, "2026-03-02T14:35:00Z", accepted, { _tag: "Failed", reason: "twilio_30003" })
  const unknown = yield* messageOf(8, "2026-03-03T03:59:00Z", {
    _tag: "Unknown",
    reason: `+1${example.insured.phone} fell silent`
  })
  const { phone } = example.insured
  const masked = `+1${phone.slice(0, 3)}***${phone.slice(-4)} fell silent`
  return [
    { ...unknown, estado: "unknown", motivo: masked, created_at: "2026-03-02 23:59:00" },
    { ...lost, estado: "failed", motivo: "twilio_30003", created_at: "2026-03-02 10:35:00" },
    { ...failed, estado: "failed", motivo: "twilio_21211", created_at: "2026-03-02 10:30:00" }
  ]
})

layer(CommandLine.layer, { excludeTestServices: true })("the list of undelivered SMS", (it) => {
  it.effect("is empty at first", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      assert.deepStrictEqual(yield* answer("sms", "list"), { items: [] })
      assert.strictEqual((yield* run("sms", "list")).stdout, "There are no undelivered SMS.")
    })
  )

  it.effect("shows the newest first, without phone number and text", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const listed = yield* endedInEveryWay
      assert.deepStrictEqual(yield* answer("sms", "list"), { items: listed })
      assert.deepStrictEqual((yield* answer("sms", "list", "--ultimos", "1")).items, listed.slice(0, 1))
      const { stdout } = yield* run("sms", "list")
      const [names = "", ...lines] = stdout.split("\n")
      assert.deepStrictEqual(names.split(/ {2,}/), Object.keys(listed[0] ?? {}))
      assert.deepStrictEqual(
        lines.slice(0, 3).map((line) => line.split(/ {2,}/)),
        listed.map((item) => Object.values(item).map(String))
      )
      assert.match(stdout, /^failed: .*\nunknown: .*\nThe seller can/m)
      for (const secret of [example.insured.phone, "771177"]) assert.notInclude(stdout, secret)
    })
  )
})
