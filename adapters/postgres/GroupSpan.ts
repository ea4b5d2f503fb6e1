import { Context, Effect, References, Tracer } from "effect"

/** A waiting call with its caller's services. They include the caller's span if tracing is on. */
export interface Traced {
  readonly context: Context.Context<never>
}

type Calls = ReadonlyArray<Traced>

const spansOf = (calls: Calls): ReadonlyArray<Tracer.AnySpan> =>
  calls.flatMap((call) => Context.getOrUndefined(call.context, Tracer.ParentSpan) ?? [])

const linkTo = (span: Tracer.AnySpan): Tracer.SpanLink => ({ span, attributes: {} })

/**
 * Adds a span for a group's statement. It is linked with the span of each call in both directions, so a sale leads to
 * its statement and a statement to its sales. Does nothing if tracing is off.
 */
export const withGroupSpan =
  (name: string, calls: Calls) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (isTraced) => {
      if (!isTraced) return statement
      const members = spansOf(calls)
      const options = { links: members.map(linkTo), attributes: { "saldo.group.members": calls.length } }
      return Effect.useSpan(`group ${name}`, options, (span) => {
        for (const member of members) if (member._tag === "Span") member.addLinks([linkTo(span)])
        return Effect.withParentSpan(statement, span)
      })
    })
