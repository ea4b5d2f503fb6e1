import { DateTime, Effect } from "effect"
import { FloatAnswer } from "../../../core/domain/Float.ts"
import type { IssuedPolicy } from "../../../core/domain/Insurance.ts"
import type { InsuranceUnavailable } from "../../../core/domain/InsuranceErrors.ts"
import { type ExtraCode, type Plan, validFor } from "../../../core/domain/InsuranceOffer.ts"
import { LookupAnswer, type LookupQuery } from "../../../core/domain/Lookup.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { type Reversal, ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { type Delivery, DispatchAnswer, denialOf, type Order } from "../../../core/domain/Sale.ts"
import type { Insurer } from "../../../core/ports/Insurer.ts"
import type { Provider } from "../../../core/ports/Provider.ts"
import { SeededRandom } from "../../support/SeededRandom.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import type { GroundTruth, OperatorMistakes } from "../engine/GroundTruth.ts"
import { callOutside } from "../engine/OutsideCall.ts"
import type { Simulation } from "../engine/Simulation.ts"
import type { OrderChecks } from "../invariants/OrderInvariants.ts"
import { askQuestion, askStatus, placeOrder } from "./ExternalService.ts"

/** Probability that a supplier delivers an order, or accepts a reversal. */
const deliveryRate = 0.85

const months = 12

// The authorisation code is derived from the xid, so that every answer about a sale contains the same code.
const codeOf = ({ xid }: Order): string => `A${xid.slice(3, 15).toUpperCase()}`

const deliveryOf = (order: Order): Delivery => ({
  authCode: codeOf(order),
  rechargeToken: order.service.type === "electricity_prepaid" ? "1234 5678 9012 3456 7890" : null
})

const policyOf = (order: Order): IssuedPolicy => ({
  number: codeOf(order),
  validity: validFor(order.createdAt, months)
})

/** Shared by a supplier and the run: the record of its orders, and the invariants about orders. */
interface SupplierContext {
  readonly sales: GroundTruth
  readonly orders: OrderChecks
  readonly operatorErrors: OperatorMistakes
}

const orderMethod =
  <Proof>(
    sim: Simulation,
    incarnation: Incarnation,
    { orders, sales }: SupplierContext,
    method: "dispatch" | "issue",
    proofOf: (order: Order) => Proof
  ) =>
  (order: Order) =>
    Effect.suspend(() => {
      const { xid } = order
      orders.sending(order)
      return callOutside(sim, incarnation, method, xid, (call) =>
        placeOrder<DispatchAnswer<Proof>>(sim, call, sales, {
          name: xid,
          accepts: new SeededRandom(sim.seed, `delivers ${xid}`).happens(deliveryRate),
          words: {
            done: DispatchAnswer.Delivered({ delivery: proofOf(order) }),
            refused: DispatchAnswer.Refused({ refusal: denialOf(order) }),
            unfirm: DispatchAnswer.Unknown(),
            notSent: DispatchAnswer.NotSent()
          },
          arrives: () => orders.arrived(order)
        })
      )
    })

const isFirm = ({ _tag }: StatusAnswer<unknown>): boolean => _tag === "Delivered" || _tag === "Refused"

/** Asks for the status of a sale. */
const statusMethod =
  <Proof>(
    sim: Simulation,
    incarnation: Incarnation,
    { operatorErrors, sales }: SupplierContext,
    method: "ask" | "ask insurer",
    proofOf: (order: Order) => Proof
  ) =>
  (order: Order) =>
    callOutside(sim, incarnation, method, order.xid, (call) => {
      const asked = askStatus<StatusAnswer<Proof>>(sim, call, sales, order.xid, {
        unknown: StatusAnswer.NotFound(),
        undecided: StatusAnswer.Unknown(),
        done: StatusAnswer.Delivered({ delivery: proofOf(order) }),
        refused: StatusAnswer.Refused({ refusal: denialOf(order) }),
        "taken back": StatusAnswer.TakenBack()
      })
      return call.step === "operator: ask" ? operatorErrors.checked(order.xid, asked, isFirm) : asked
    })

const reversalAnswers = {
  done: ReversalAnswer.Confirmed(),
  refused: ReversalAnswer.Denied(),
  unfirm: ReversalAnswer.Unknown(),
  notSent: ReversalAnswer.NotSent()
}

const isFirmReversal = ({ _tag }: ReversalAnswer): boolean => _tag === "Confirmed" || _tag === "Denied"

const lookupAnswer = ({ packages, service }: LookupQuery, month: string) => {
  const offers =
    service.flow === "paquetes"
      ? packages.map(({ id, name, price }) => ({ reference: `P${id}`, name, price, validity: null, data: null }))
      : [{ reference: month, name: `Factura ${month}`, price: Amount.make(15_000), validity: null, data: null }]
  return LookupAnswer.Found({ found: { holder: null, offers } })
}

interface ProviderContext extends SupplierContext {
  readonly reversals: GroundTruth
  readonly reversing: (reversal: Reversal) => void
}

/** The provider, as one process calls it. */
export const providerFor = (sim: Simulation, incarnation: Incarnation, side: ProviderContext): Provider => {
  const { reversals, reversing } = side
  return {
    knows: () => true,
    dispatch: orderMethod(sim, incarnation, side, "dispatch", deliveryOf),
    status: statusMethod(sim, incarnation, side, "ask", deliveryOf),
    reverse: (reversal) =>
      callOutside(sim, incarnation, "reverse", reversal.xid, (call) => {
        reversing(reversal)
        return placeOrder<ReversalAnswer>(sim, call, reversals, {
          name: reversal.xid,
          accepts: new SeededRandom(sim.seed, `takes back ${reversal.xid}`).happens(deliveryRate),
          words: reversalAnswers,
          arrives: () => {}
        })
      }),
    reversalStatus: (reversal) =>
      callOutside(sim, incarnation, "ask reversal", reversal.xid, (call) => {
        reversing(reversal)
        const asked = askStatus<ReversalAnswer>(sim, call, reversals, reversal.xid, {
          unknown: ReversalAnswer.NotFound(),
          undecided: reversalAnswers.unfirm,
          done: reversalAnswers.done,
          refused: reversalAnswers.refused,
          // A supplier changes its answer only about sales.
          "taken back": reversalAnswers.unfirm
        })
        return call.step === "operator: ask reversal"
          ? side.operatorErrors.checked(reversal.xid, asked, isFirmReversal)
          : asked
      }),
    lookup: (query) =>
      callOutside(sim, incarnation, "ask", query.identifier, (call) =>
        askQuestion(
          sim,
          call,
          Effect.map(DateTime.now, (now) => lookupAnswer(query, DateTime.formatIsoDateUtc(now).slice(0, 7)))
        )
      ),
    // No process of the simulation reads the balance with the provider, because it moves no money.
    float: Effect.succeed(FloatAnswer.NotOffered())
  }
}

const plan: Plan = {
  code: "LEY",
  name: "Ley",
  coverage: "Lo que la ley exige",
  months,
  price: Amount.make(40_000),
  suggested: true
}

const extras = [{ code: "grua", name: "Grúa", price: Amount.make(5_000) }] as const

/** The version, the plan and the extra that the simulated insurer sells. */
export const insuranceExample = { version: "V1", plan: plan.code, extra: "grua" as ExtraCode }

/** The insurer, as one process calls it. */
export const insurerFor = (sim: Simulation, incarnation: Incarnation, side: SupplierContext): Insurer => {
  let quotes = 0
  const asked = <A>(method: "inspect" | "plans" | "quote", subject: string, known: () => A) =>
    callOutside(sim, incarnation, method, subject, (call) =>
      askQuestion<A, InsuranceUnavailable>(sim, call, Effect.sync(known))
    )
  return {
    inspect: ({ plate }) =>
      asked("inspect", plate, () => ({
        reference: `CASO-${plate}`,
        holder: "Titular de Prueba",
        vehicle: { brand: "Toyota", model: "Corolla", year: 2020, type: "automovil", chassis: `CH${plate}` },
        renewal: false,
        versions: [{ id: insuranceExample.version, name: "LE", suggested: true }]
      })),
    plans: ({ plate }) => asked("plans", plate, () => ({ detail: "Toyota Corolla LE", plans: [plan], extras })),
    quote: ({ extras: wanted, plate }) =>
      asked("quote", plate, () => ({
        reference: `COT-${plate}-${incarnation.name}-${++quotes}`,
        total: Amount.make(plan.price + (wanted.length > 0 ? extras[0].price : 0))
      })),
    issue: orderMethod(sim, incarnation, side, "issue", policyOf),
    status: statusMethod(sim, incarnation, side, "ask insurer", policyOf)
  }
}
