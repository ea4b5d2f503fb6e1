import { Context, Effect, References, Tracer } from "effect"

/** A call with the services of its caller; where traces are collected, its span is among them. */
export interface Traced {
  readonly context: Context.Context<never>
}

type Calls = ReadonlyArray<Traced>

const spansOf = (calls: Calls): ReadonlyArray<Tracer.AnySpan> =>
  calls.flatMap((call) => Context.getOrUndefined(call.context, Tracer.ParentSpan) ?? [])

const linkTo = (span: Tracer.AnySpan): Tracer.SpanLink => ({ span, attributes: {} })

/**
 * A span around the one statement of a group, linked with the span of each call in it, both ways: from a sale one finds
 * the statement that it shared, and from the statement all its sales. Without a collector of traces it does nothing.
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
