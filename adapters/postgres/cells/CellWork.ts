import { type Cause, Duration, Effect, Exit, Fiber, Option } from "effect"
import type { CellPart } from "./Cells.ts"

/** Cells, as `PerCell` lists them. */
type Parts<Service> = Effect.Effect<ReadonlyArray<CellPart<Service>>>

/**
 * The first result that any of the cells returns. A cell that fails is skipped. If no other cell has a result, fails with
 * the failure of the skipped cell, because that cell may have the result.
 */
export const findIn = Effect.fnUntraced(function* <Service, A, E>(
  parts: Parts<Service>,
  find: (cell: Service) => Effect.Effect<Option.Option<A>, E>
) {
  let failure: Cause.Cause<E> | null = null
  for (const { service } of yield* parts) {
    const exit = yield* Effect.exit(Effect.flatMap(service, find))
    if (Exit.isFailure(exit)) failure ??= exit.cause
    else if (Option.isSome(exit.value)) return exit.value
  }
  return failure === null ? Option.none<A>() : yield* Effect.failCause(failure)
})

const logFailure = (cell: string, cause: Cause.Cause<never>) =>
  Effect.logError("a cell could not do its part of the work", { cell }, cause)

/** The results of all cells. A cell that fails is logged and left out. Fails if all cells fail. */
export const fromEach = Effect.fnUntraced(function* <Service, A>(
  parts: Parts<Service>,
  ask: (cell: Service) => Effect.Effect<A>
) {
  const results: Array<A> = []
  let failure: Cause.Cause<never> | null = null
  for (const { name, service } of yield* parts) {
    const exit = yield* Effect.exit(Effect.flatMap(service, ask))
    if (Exit.isSuccess(exit)) results.push(exit.value)
    else {
      failure = exit.cause
      yield* logFailure(name, exit.cause)
    }
  }
  return failure !== null && results.length === 0 ? yield* Effect.failCause(failure) : results
})

/** How long a claim waits for one of several cells. */
const claim_max = Duration.seconds(2)

/**
 * Makes the function that runs a claim in one of several cells. A claim that takes too long continues in the background,
 * and the cell is skipped until the claim ends. A later claim gets the rows of the late claim when their lease has ended.
 *
 * @returns null if the cell is skipped.
 */
const boundedClaims = () => {
  const late = new Set<string>()
  return Effect.fnUntraced(function* <A>(name: string, claim: Effect.Effect<A>) {
    if (late.has(name)) return null
    const fiber = yield* Effect.forkDetach(claim)
    const exit = yield* Effect.timeoutOption(Fiber.await(fiber), claim_max).pipe(
      Effect.onInterrupt(() => Fiber.interrupt(fiber))
    )
    if (Option.isSome(exit)) return exit.value
    late.add(name)
    fiber.addObserver(() => late.delete(name))
    yield* Effect.logError("a cell takes too long to claim work; it is skipped until it answers", { cell: name })
    return null
  })
}

/**
 * Claims work in the open cells one after the other, up to the limit in total. Each claim begins with the next cell, so that no
 * cell with much work delays the others. A cell that fails is left out, and is logged once until it succeeds. The claim
 * fails if all cells fail.
 *
 * @param sizeOf how much of the limit a result of a cell uses.
 */
export const claimInTurn = <Service, Claim extends { readonly limit: number }, A>(
  open: Parts<Service>,
  claimOf: (cell: Service, claim: Claim) => Effect.Effect<ReadonlyArray<A>>,
  sizeOf: (claimed: A) => number = () => 1
) => {
  const bounded = boundedClaims()
  const failing = new Set<string>()
  let turn = 0
  return Effect.fnUntraced(function* (claim: Claim) {
    const cells = yield* open
    turn = cells.length === 0 ? 0 : (turn + 1) % cells.length
    let limit = claim.limit
    const claimed: Array<A> = []
    const failures: Array<Cause.Cause<never>> = []
    for (const part of [...cells.slice(turn), ...cells.slice(0, turn)]) {
      if (limit <= 0) break
      const wanted = { ...claim, limit }
      const inCell = Effect.flatMap(part.service, (cell) => claimOf(cell, wanted))
      const exit = yield* cells.length === 1 ? Effect.exit(inCell) : bounded(part.name, inCell)
      if (exit === null) continue
      if (Exit.isSuccess(exit)) {
        failing.delete(part.name)
        claimed.push(...exit.value)
        limit -= exit.value.reduce((size, one) => size + sizeOf(one), 0)
      } else {
        if (!failing.has(part.name)) yield* logFailure(part.name, exit.cause)
        failing.add(part.name)
        failures.push(exit.cause)
      }
    }
    const [first] = failures
    return first !== undefined && failures.length === cells.length ? yield* Effect.failCause(first) : claimed
  })
}
