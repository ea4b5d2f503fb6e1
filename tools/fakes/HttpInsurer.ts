import { Effect } from "effect"
import { Accepted } from "./Accepted.ts"
import { type Actor, fakeGateway } from "./FakeGateway.ts"
import type { Asked } from "./Misbehaviour.ts"
import { Truth } from "./Truth.ts"

interface PolicyRequest {
  readonly xid: string
  readonly amount_centavos: number
}

/** How it decides about a policy: it issues, refuses, or never decides. */
type Decision = "issued" | "refused" | "pending"

const policyAnswer = ({ amount_centavos, xid }: PolicyRequest, outcome: Decision, contradicting: boolean) => ({
  outcome,
  xid,
  amount_centavos: contradicting ? amount_centavos * 100 : amount_centavos,
  ...(outcome === "issued" && {
    policy_number: `POL-${xid.slice(-8)}`,
    valid_from: "2026-03-02",
    valid_until: "2027-03-01"
  })
})

/** What a request is about: the xid of a policy, or the plate. */
const aboutOf = ({ body, path }: Asked): string => {
  const { plate, xid } = (body ?? {}) as { readonly plate?: string; readonly xid?: string }
  return xid ?? plate ?? path.slice(path.lastIndexOf("/") + 1)
}

const rejected = { outcome: "rejected", reason: "La aseguradora no conoce esta placa." }

/** A gateway that insures, by the protocol of docs/providers/insurer.md. It knows no plate but those of `steps`. */
export const fakeHttpInsurer = Effect.fnUntraced(function* (secret: string) {
  const truth = new Truth()
  /** How it decides, by xid; it issues where nothing is said. */
  const policies = new Map<string, Decision>()
  /** What it answers to the steps before the sale, by path and plate: `/v1/quotes A123456`. */
  const steps = new Map<string, object>()
  const accepted = new Accepted<PolicyRequest, Decision>(policyAnswer)

  const decide = ({ amount_centavos, xid }: PolicyRequest) => {
    const decision = policies.get(xid) ?? "issued"
    if (decision === "issued") truth.deliver(xid, amount_centavos)
    return decision
  }
  const act: Actor["act"] = (asked, misbehaviour, now_ms) => {
    const about = aboutOf(asked)
    const named = { xid: about, misbehaviour, now_ms }
    if (asked.path === "/v1/policies") return accepted.accept(asked.body as PolicyRequest, named, decide)
    if (asked.method === "GET") return accepted.status(named)
    return { status: 200, body: steps.get(`${asked.path} ${about}`) ?? rejected }
  }
  const gateway = yield* fakeGateway("insurer", secret, { aboutOf, act })
  return { ...gateway, truth, policies, steps }
})
