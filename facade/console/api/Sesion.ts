import { Effect, Schema } from "effect"
import { may, OperatorAction } from "../../../core/domain/Operator.ts"
import { input } from "../../api/Input.ts"
import { change, read } from "./Procedure.ts"
import { Sessions } from "./Sessions.ts"

export const sesion = {
  /** The caller's session. Null without one. */
  actual: read({
    gate: "public",
    input: input({}),
    handle: ({ session }) =>
      Effect.succeed(
        session === null
          ? null
          : {
              nombre: session.actor.name,
              rol: session.actor.role,
              /** What the role may do, so that the page hides the rest. */
              acciones: OperatorAction.literals.filter((action) => may(session.actor.role, action)),
              ficha: session.csrf
            }
      )
  }),
  confirmar: change({
    gate: "session",
    input: input({ clave: Schema.String }),
    withoutPassword: true,
    handle: () => Effect.succeed(null)
  }),
  salir: change({
    gate: "session",
    input: input({}),
    withoutPassword: true,
    handle: Effect.fnUntraced(function* ({ keepSession, session }) {
      if (session === null) return null
      const sessions = yield* Sessions
      yield* sessions.end(session.token)
      keepSession(null)
      return null
    })
  })
}
