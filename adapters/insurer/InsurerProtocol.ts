import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ExtraCode, VehicleType } from "../../core/domain/InsuranceOffer.ts"
import { isDay } from "../../core/domain/LocalTime.ts"
import {
  AmountCentavos,
  Currency,
  conflict,
  distinct,
  Instant,
  notFound,
  notProcessed,
  printableText,
  protocolAnnotations,
  referenceText,
  Xid
} from "../http/GatewayProtocol.ts"

/** A calendar day in Santo Domingo. */
const Day = Schema.String.check(Schema.makeFilter(isDay)).annotate({
  identifier: "Day",
  description: "A day in Santo Domingo.",
  format: "date",
  examples: ["2026-03-02"]
})

const plate = Schema.String.annotate({ description: "A letter and five to seven digits.", examples: ["A123456"] })
const product = Schema.NullOr(Schema.String).annotate({
  description: "The insurer's code of the service, from the operator's catalogue; null if the catalogue has no code."
})

/** The fields that all requests about a vehicle have in common. */
const ofCase = {
  reference: Schema.String.annotate({ description: "The insurer's reference of the case." }),
  plate
}

const Rejected = Schema.Struct({
  outcome: Schema.Literal("rejected"),
  reason: printableText(500, "Shown to the buyer, in Spanish.")
}).annotate({ identifier: "Rejected", description: "The insurer does not accept the data." })

const Inspection = Schema.Struct({
  cedula: Schema.String.annotate({ description: "The owner's identity card: eleven digits." }),
  phone: Schema.String.annotate({ description: "The owner's phone: ten digits." }),
  plate,
  product
}).annotate({ identifier: "Inspection", description: "The owner and the plate of a vehicle." })

const Vehicle = Schema.Struct({
  brand: printableText(100),
  model: printableText(100),
  year: Schema.Int.check(Schema.isBetween({ minimum: 1900, maximum: 2200 })),
  type: VehicleType,
  chassis: printableText(64)
}).annotate({ identifier: "Vehicle" })

const Version = Schema.Struct({
  id: referenceText(100),
  name: printableText(200),
  suggested: Schema.Boolean.annotate({
    description: "Whether this is the most likely version. True for at most one version."
  })
}).annotate({ identifier: "Version" })

const InspectionAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("found"),
    reference: referenceText(100).annotate({
      description: "The insurer's reference of the case. Every later request repeats it."
    }),
    holder: printableText(200, "The owner's name."),
    vehicle: Vehicle,
    renewal: Schema.Boolean.annotate({ description: "Whether the new policy continues an earlier one." }),
    versions: Schema.Array(Version)
      .check(Schema.isMinLength(1), Schema.makeFilter(distinct(({ id }) => id)))
      .annotate({ description: "The versions in which the model was sold. Each id is unique in the list." })
  }).annotate({ identifier: "Inspected" }),
  Rejected,
  Schema.Struct({ outcome: Schema.Literal("vehicle_unsupported") }).annotate({
    identifier: "VehicleUnsupported",
    description: "The insurer does not insure this vehicle."
  })
]).annotate({ identifier: "InspectionAnswer", description: "The vehicle and its owner, or the reason for a refusal." })
export type InspectionAnswer = typeof InspectionAnswer.Type

const PlansQuestion = Schema.Struct({ ...ofCase, version: Schema.String }).annotate({ identifier: "PlansQuestion" })

const Plan = Schema.Struct({
  code: referenceText(64),
  name: printableText(200),
  coverage: printableText(1000),
  months: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 120 })),
  price_centavos: AmountCentavos,
  suggested: Schema.Boolean
}).annotate({ identifier: "Plan" })

const Extra = Schema.Struct({ code: ExtraCode, name: printableText(200), price_centavos: AmountCentavos }).annotate({
  identifier: "Extra",
  description:
    "An additional service: `grua` is towing, `casa_conductor` is lodging and assistance for the driver after an accident."
})

const PlansAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("offered"),
    detail: printableText(500, "The vehicle and its version, as text."),
    plans: Schema.Array(Plan)
      .check(Schema.makeFilter(distinct(({ code }) => code)))
      .annotate({ description: "Each code is unique in the list." }),
    extras: Schema.Array(Extra)
      .check(Schema.makeFilter(distinct(({ code }) => code)))
      .annotate({ description: "Each code is unique in the list." })
  }).annotate({ identifier: "Offered" }),
  Rejected
]).annotate({ identifier: "PlansAnswer", description: "The plans and extras for a version of the vehicle." })
export type PlansAnswer = typeof PlansAnswer.Type

const QuoteQuestion = Schema.Struct({
  ...ofCase,
  version: Schema.String,
  plan: Schema.String,
  extras: Schema.Array(ExtraCode)
}).annotate({ identifier: "QuoteQuestion" })

const QuoteAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("quoted"),
    quote: referenceText(100).annotate({
      description:
        "The insurer's reference of the quote, valid for more than 30 minutes. The request for a policy contains it."
    }),
    total_centavos: AmountCentavos
  }).annotate({ identifier: "Quoted" }),
  Schema.Struct({
    outcome: Schema.Literal("policy_active"),
    renewable_from: Day
  }).annotate({ identifier: "PolicyActive", description: "The vehicle already has an active policy." }),
  Rejected
]).annotate({ identifier: "QuoteAnswer", description: "The quote, or the reason for a refusal." })
export type QuoteAnswer = typeof QuoteAnswer.Type

const PolicyRequest = Schema.Struct({
  xid: Xid,
  created_at: Instant,
  product,
  plate,
  quote: Schema.String.annotate({ description: "The reference of the quote to buy." }),
  amount_centavos: AmountCentavos,
  currency: Currency
}).annotate({ identifier: "PolicyRequest", description: "A policy to issue. The insurer must issue it only once." })

const ofPolicy = { xid: Xid, amount_centavos: AmountCentavos }

const PolicyAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("issued"),
    ...ofPolicy,
    policy_number: printableText(64),
    valid_from: Day,
    valid_until: Day
  }).annotate({ identifier: "Issued", description: "The policy exists, and the sale is charged. Final." }),
  Schema.Struct({ outcome: Schema.Literal("refused"), ...ofPolicy }).annotate({
    identifier: "PolicyRefused",
    description: "No policy was issued and none will be. The money is released. Final."
  }),
  Schema.Struct({ outcome: Schema.Literal("pending"), ...ofPolicy }).annotate({
    identifier: "PolicyPending",
    description: "The insurer has not decided yet. The money stays held, and Saldo asks again."
  })
]).annotate({ identifier: "PolicyAnswer", description: "The state of the policy." })
export type PolicyAnswer = typeof PolicyAnswer.Type

const steps = HttpApiGroup.make("steps", { topLevel: true }).add(
  HttpApiEndpoint.post("inspect", "/v1/inspections", {
    payload: Inspection,
    success: InspectionAnswer,
    error: notProcessed
  }).annotate(OpenApi.Summary, "Look up a vehicle and its owner"),
  HttpApiEndpoint.post("plans", "/v1/plans", {
    payload: PlansQuestion,
    success: PlansAnswer,
    error: notProcessed
  }).annotate(OpenApi.Summary, "List the plans and extras for a version of the vehicle"),
  HttpApiEndpoint.post("quote", "/v1/quotes", {
    payload: QuoteQuestion,
    success: QuoteAnswer,
    error: notProcessed
  }).annotate(OpenApi.Summary, "Quote a price")
)

const policies = HttpApiGroup.make("policies", { topLevel: true }).add(
  HttpApiEndpoint.post("issue", "/v1/policies", {
    payload: PolicyRequest,
    success: PolicyAnswer,
    error: [...notProcessed, conflict]
  }).annotate(OpenApi.Summary, "Issue a policy, at most once for each xid"),
  HttpApiEndpoint.get("policyStatus", "/v1/policies/:xid", {
    params: { xid: Xid },
    success: PolicyAnswer,
    error: [...notProcessed, notFound]
  }).annotate(OpenApi.Summary, "Get the state of a policy")
)

/** The protocol between Saldo and an insurer's gateway. Described in docs/providers/insurer.md. */
export const insurerProtocol = HttpApi.make("insurer")
  .add(steps, policies)
  .annotateMerge(
    protocolAnnotations(
      "Saldo: an insurer's gateway",
      "The API that an operator of Saldo implements to sell the vehicle insurance of an insurer of its choice. insurer.md in the same folder states the rules."
    )
  )
