import { Context, Effect, References, Tracer } from "effect"

/** A call with the services of whoever made it, its span among them where somebody follows. */
export interface Traced {
  readonly context: Context.Context<never>
}

type Calls = ReadonlyArray<Traced>

const spansOf = (calls: Calls): ReadonlyArray<Tracer.AnySpan> =>
  calls.flatMap((call) => Context.getOrUndefined(call.context, Tracer.ParentSpan) ?? [])

const linkTo = (span: Tracer.AnySpan): Tracer.SpanLink => ({ span, attributes: {} })

/**
 * Follows the one statement of a group in a span that is linked with each call in it, both ways: whoever looks at a
 * sale finds the statement that it shared, and whoever looks at the statement finds all the sales. Where nobody follows
 * anything it does nothing.
 */
export const followingMembers =
  (name: string, calls: Calls) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(References.TracerEnabled, (following) => {
      if (!following) return statement
      const members = spansOf(calls)
      const options = { links: members.map(linkTo), attributes: { "saldo.group.members": calls.length } }
      return Effect.useSpan(`group ${name}`, options, (span) => {
        for (const member of members) if (member._tag === "Span") member.addLinks([linkTo(span)])
        return Effect.withParentSpan(statement, span)
      })
    })
