import { createHmac } from "node:crypto"
import { Clock, Context, Effect, type Fiber, Layer, Random, References, Scheduler, Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { ConfirmAbove } from "../../../core/domain/FundingProposal.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { countedIn } from "../../../core/domain/RateLimit.ts"
import { Sha256 } from "../../../core/domain/Sha256.ts"
import { Accounts, Adjustments } from "../../../core/ports/Accounts.ts"
import { Atomic } from "../../../core/ports/Atomic.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { CallCounter } from "../../../core/ports/CallCounter.ts"
import { Catalogue } from "../../../core/ports/Catalogue.ts"
import { CellDirectory } from "../../../core/ports/CellDirectory.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import { Companies } from "../../../core/ports/Companies.ts"
import { Deliveries } from "../../../core/ports/Deliveries.ts"
import { Events } from "../../../core/ports/Events.ts"
import { FollowUps } from "../../../core/ports/FollowUps.ts"
import { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import { Insurances } from "../../../core/ports/Insurances.ts"
import { type Insurer, Insurers } from "../../../core/ports/Insurer.ts"
import { Ledger } from "../../../core/ports/Ledger.ts"
import { Options } from "../../../core/ports/Options.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import { type Provider, Providers } from "../../../core/ports/Provider.ts"
import { Resolutions } from "../../../core/ports/Resolutions.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { type SmsGateway, SmsGateways } from "../../../core/ports/SmsGateway.ts"
import { Transactions } from "../../../core/ports/Transactions.ts"
import { Unresolved } from "../../../core/ports/Unresolved.ts"
import { Vault } from "../../../core/ports/Vault.ts"
import { WebhookSender } from "../../../core/ports/WebhookSender.ts"
import { Webhooks } from "../../../core/ports/Webhooks.ts"
import { InFlight } from "../../../core/workflows/InFlight.ts"
import { SeededRandom } from "../../support/SeededRandom.ts"
import { type Incarnation, schedulerOf } from "../engine/EventLoop.ts"
import { Activity } from "../engine/Faults.ts"
import { HangUp } from "../engine/OutsideCall.ts"
import type { Simulation } from "../engine/Simulation.ts"
import { catalogue, companyDirectory } from "./CompaniesAndCatalogue.ts"
import type { DatabasePorts } from "./Store.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * A vault without encryption, so that equal texts give equal results. The real vault draws random nonces and uses
 * threads, and the order of threads is not reproducible.
 */
const vaultPlain = Vault.of({
  seal: (text, purpose) => Effect.sync(() => encoder.encode(JSON.stringify({ purpose, text }))),
  open: (sealed, purpose) =>
    Effect.sync(() => {
      const { purpose: sealedFor, text } = JSON.parse(decoder.decode(sealed))
      if (sealedFor !== purpose) throw new Error(`sealed for ${sealedFor}, not for ${purpose}`)
      return text
    }),
  mac: (text) => Effect.sync(() => createHmac("sha256", "simulation").update(text).digest("hex"))
})

/** All services that a workflow may use. */
export type WorkflowServices = Effect.Services<typeof allServices>

/** The clock of a process, and the external services as seen by this process, with its own faults. */
export interface ProcessEnvironment {
  readonly clock: Clock.Clock
  readonly provider: Provider
  readonly insurer: Insurer
  readonly gateway: SmsGateway
  readonly sender: WebhookSender["Service"]
}

/** A running server process. */
export interface Process {
  readonly incarnation: Incarnation
  /** Starts work for an activity. The call does not wait for the work; `then` receives the fiber of the work. */
  readonly start: <A, E>(
    work: Effect.Effect<A, E, WorkflowServices>,
    as: { readonly activity: Activity; readonly name: string },
    then?: (fiber: Fiber.Fiber<A, E>) => void
  ) => void
}

const allServices = Effect.all([
  Accounts,
  Adjustments,
  Atomic,
  AuditLog,
  CallCounter,
  Catalogue,
  CellDirectory,
  Closings,
  Companies,
  FollowUps,
  Deliveries,
  Events,
  FundingProposals,
  InFlight,
  Insurances,
  Insurers,
  Ledger,
  Options,
  Outbox,
  Providers,
  Resolutions,
  Reversals,
  SecureRandom.SecureRandom,
  Sha256,
  SmsGateways,
  Transactions,
  Unresolved,
  Vault,
  WebhookSender,
  Webhooks
])

const sha256 = Effect.runSync(Effect.provide(Sha256, Sha256Node.layer))

/** Random bytes that are derived from the seed and a name. */
const randomOf = (seed: number, name: string) => {
  const chance = new SeededRandom(seed, `random ${name}`)
  return SecureRandom.make((size) => Uint8Array.from({ length: size }, () => chance.between(0, 255)))
}

/** Random numbers for `Random`, which need not be secret, derived from the seed and a name. */
const plainRandomOf = (seed: number, name: string): Context.Service.Shape<typeof Random.Random> => {
  const chance = new SeededRandom(seed, `plain random ${name}`)
  return {
    nextDoubleUnsafe: () => chance.next(),
    nextIntUnsafe: () => chance.between(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  }
}

// All lookups go to the provider. The sandbox examples are never used.
const unusedSimulator: Provider = {
  knows: () => true,
  dispatch: () => Effect.die(new Error("the sandbox examples are not used here")),
  status: () => Effect.die(new Error("the sandbox examples are not used here")),
  reverse: () => Effect.die(new Error("the sandbox examples are not used here")),
  reversalStatus: () => Effect.die(new Error("the sandbox examples are not used here")),
  lookup: () => Effect.die(new Error("the sandbox examples are not used here")),
  float: Effect.die(new Error("the sandbox examples are not used here"))
}

// Each write is a separate transaction here, so a process may also die between the writes of one change.
const separateTransactions: Atomic["Service"] = { transact: (writes) => writes }

/** The services of a process that are not ports: clock, scheduler, random numbers, cryptography. */
export type Machine = ReturnType<typeof machineOf> extends Context.Context<infer Services> ? Services : never

/**
 * Builds the clock, scheduler, random numbers and cryptography of a process. They depend only on the seed and the event
 * loop.
 */
export const machineOf = ({ seed, eventLoop }: Simulation, incarnation: Incarnation, { clock }: ProcessEnvironment) =>
  Context.make(Clock.Clock, clock).pipe(
    Context.add(Scheduler.Scheduler, schedulerOf(eventLoop, incarnation)),
    Context.add(References.TracerEnabled, false),
    Context.add(References.MinimumLogLevel, "None"),
    Context.add(Sha256, sha256),
    Context.add(SecureRandom.SecureRandom, randomOf(seed, incarnation.name)),
    Context.add(Random.Random, plainRandomOf(seed, incarnation.name)),
    Context.add(Vault, vaultPlain)
  )

/** Amount above which a deposit needs two operators. It is low, so that this applies to a fifth of the deposits of a run. */
export const confirmAbove = Amount.make(80_000)

/** Starts a process with empty memory and the given database ports. */
export const startProcess = (
  { seed, eventLoop }: Simulation,
  incarnation: Incarnation,
  machine: Context.Context<Machine>,
  ports: DatabasePorts,
  environment: ProcessEnvironment
): Process => {
  const external = machine.pipe(
    Context.add(Catalogue, catalogue),
    Context.add(ConfirmAbove, confirmAbove),
    Context.add(Companies, companyDirectory),
    Context.add(CallCounter, { count: (bucket, window) => Effect.succeed(countedIn(bucket, window, 0)) }),
    Context.add(Providers, {
      serving: () => Effect.succeed(environment.provider),
      simulator: unusedSimulator,
      exampleLookup: unusedSimulator.lookup
    }),
    Context.add(Insurers, { serving: () => Effect.succeed(environment.insurer) }),
    Context.add(SmsGateways, { serving: () => Effect.succeed(environment.gateway) }),
    Context.add(WebhookSender, environment.sender)
  )
  const base = external.pipe(
    Context.add(Accounts, ports.accounts),
    Context.add(Adjustments, ports.adjustments),
    Context.add(CellDirectory, ports.cells),
    Context.add(Closings, ports.closings),
    Context.add(Atomic, separateTransactions),
    Context.add(AuditLog, { record: ports.record }),
    Context.add(FollowUps, ports.followUps),
    Context.add(Deliveries, ports.deliveries),
    Context.add(Events, ports.events),
    Context.add(FundingProposals, ports.funding),
    Context.add(Insurances, ports.insurances),
    Context.add(Ledger, ports.ledger),
    Context.add(Options, ports.options),
    Context.add(Outbox, ports.outbox),
    Context.add(Resolutions, ports.resolutions),
    Context.add(Reversals, ports.reversals),
    Context.add(Transactions, ports.transactions),
    Context.add(Unresolved, ports.unresolved),
    Context.add(Webhooks, ports.webhooks)
  )
  const memory = Layer.buildWithScope(Layer.fresh(InFlight.layer), Scope.makeUnsafe())
  const inFlight = Context.get(Effect.runSyncWith(base)(memory), InFlight)
  const context = Context.add(base, InFlight, inFlight)

  return {
    incarnation,
    start: (work, { activity, name }, then) => {
      let running: Fiber.Fiber<unknown, unknown> | null = null
      const own = context.pipe(
        Context.add(Activity, activity),
        Context.add(SecureRandom.SecureRandom, randomOf(seed, name)),
        Context.add(HangUp, () => eventLoop.soon(incarnation, () => running?.interruptUnsafe()))
      )
      const fiber = Effect.runForkWith(own)(work)
      running = fiber
      then?.(fiber)
    }
  }
}
