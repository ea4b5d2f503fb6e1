import { type Context, Effect, Layer } from "effect"
import { Insurances } from "../../core/ports/Insurances.ts"
import { type Insurer, Insurers } from "../../core/ports/Insurer.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { type Provider, Providers } from "../../core/ports/Provider.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { Points } from "./Points.ts"

/** A port like the one below it, with points around some of its calls. */
const pointed = <Self, Shape>(
  port: Context.Key<Self, Shape>,
  wrap: (real: Shape, points: Points["Service"]) => Shape
) =>
  Layer.effect(
    port,
    Effect.gen(function* () {
      return wrap(yield* port, yield* Points)
    })
  )

const found = (claimed: ReadonlyArray<unknown>): boolean => claimed.length > 0

const ledger = pointed(Ledger, (real, { around }) => ({
  ...real,
  reserve: (intent) => around("reserve", real.reserve(intent)),
  settle: (settlement) => around("settle", real.settle(settlement))
}))

const reversals = pointed(Reversals, (real, { around }) => ({
  begin: (intent) => around("begin reversal", real.begin(intent)),
  settle: (settlement) => around("settle reversal", real.settle(settlement)),
  claim: (wanted) => around("claim reversals", real.claim(wanted), found)
}))

const unresolved = pointed(Unresolved, (real, { around }) => ({
  claim: (wanted) => around("claim sales", real.claim(wanted), found)
}))

const insurances = pointed(Insurances, (real, { around }) => ({
  ...real,
  beginIssue: (order) => around("begin issue", real.beginIssue(order))
}))

const providers = pointed(Providers, (real, { around }) => {
  const met = (provider: Provider): Provider => ({
    ...provider,
    dispatch: (order) => around("dispatch", provider.dispatch(order)),
    status: (order) => around("ask", provider.status(order)),
    reverse: (reversal) => around("reverse", provider.reverse(reversal)),
    reversalStatus: (reversal) => around("ask reversal", provider.reversalStatus(reversal))
  })
  return { ...real, serving: (environment) => Effect.map(real.serving(environment), met) }
})

const insurers = pointed(Insurers, (real, { around }) => {
  const met = (insurer: Insurer): Insurer => ({
    ...insurer,
    issue: (order) => around("issue", insurer.issue(order)),
    status: (order) => around("ask insurer", insurer.status(order))
  })
  return { serving: (environment) => Effect.map(real.serving(environment), met) }
})

/** The ports through which money moves, with the points at which the process may die. */
export const crashing = Layer.mergeAll(ledger, reversals, unresolved, insurances, providers, insurers)
