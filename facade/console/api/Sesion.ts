import { Effect, Redacted, Schema } from "effect"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { may, OperatorAction, type Origin } from "../../../core/domain/Operator.ts"
import { SignedOut } from "../../../core/domain/SignInErrors.ts"
import { ConfiguredIdentityProvider } from "../../../core/ports/IdentityProvider.ts"
import { acceptInvitation, confirmTotp, invitationOf, openLocalLink } from "../../../core/workflows/AcceptInvitation.ts"
import { reauthenticate, signIn, signOut } from "../../../core/workflows/SignIn.ts"
import { input } from "../../api/Input.ts"
import { change, type Given, read } from "./Procedure.ts"

const originOf = ({ address }: Pick<Given<unknown>, "address">): Origin => ({ via: "console", address })

/** The token of an invitation or of a one-time link. */
const enlace = Schema.String

/** The token of the caller's session. The router has checked that there is one. */
const tokenOf = ({ session }: Pick<Given<unknown>, "session">) =>
  session === null ? Effect.fail(new SignedOut()) : Effect.succeed(Redacted.value(session.token))

export const sesion = {
  /** How operators may sign in. */
  medios: read({
    gate: "public",
    input: input({}),
    handle: () => Effect.map(ConfiguredIdentityProvider, (provider) => ({ oidc: provider !== null }))
  }),
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
              /** Whether the session belongs to an account. A session from a one-time link does not. */
              cuenta: session.actor.id !== null,
              /** The actions that the role allows. The page hides all other actions. */
              acciones: OperatorAction.literals.filter((action) => may(session.actor.role, action)),
              ficha: session.csrf
            }
      )
  }),
  entrar: change({
    gate: "public",
    input: input({ nombre: Schema.String, clave: Schema.String, codigo: Schema.String }),
    handle: Effect.fnUntraced(function* ({ input: { clave, codigo, nombre }, ...given }) {
      const wanted = { name: nombre, password: Redacted.make(clave), code: codigo }
      given.keepSession((yield* signIn({ ...wanted, ...originOf(given) })).token)
      return null
    })
  }),
  /**
   * The account that an invitation is for. It is a change, not a read, so that the token is sent in the body and not in
   * a URL.
   */
  invitacion: change({
    gate: "public",
    input: input({ enlace }),
    handle: ({ input }) =>
      Effect.map(invitationOf(input.enlace), ({ expiresAt, name, role }) => ({
        nombre: name as string,
        rol: role,
        vence_en: formatOffset(expiresAt)
      }))
  }),
  aceptar: change({
    gate: "public",
    input: input({ enlace, clave: Schema.String }),
    handle: ({ input }) =>
      Effect.map(acceptInvitation(input.enlace, Redacted.make(input.clave)), ({ secret, uri }) => ({
        secreto: secret,
        uri
      }))
  }),
  confirmarCodigo: change({
    gate: "public",
    input: input({ enlace, codigo: Schema.String }),
    handle: Effect.fnUntraced(function* ({ input, ...given }) {
      given.keepSession((yield* confirmTotp(input.enlace, input.codigo, originOf(given))).token)
      return null
    })
  }),
  /**
   * Opens a session without an account, with the one-time link that `saldo serve` or `saldo console` printed at its
   * start.
   */
  abrirEnlace: change({
    gate: "public",
    input: input({ enlace }),
    handle: Effect.fnUntraced(function* ({ input, ...given }) {
      given.keepSession((yield* openLocalLink(input.enlace, originOf(given))).token)
      return null
    })
  }),
  /** Enters the password again, before a change. */
  confirmar: change({
    gate: "session",
    input: input({ clave: Schema.String }),
    withoutPassword: true,
    handle: Effect.fnUntraced(function* ({ address, input, session }) {
      yield* reauthenticate(yield* tokenOf({ session }), Redacted.make(input.clave), address)
      return null
    })
  }),
  salir: change({
    gate: "session",
    input: input({}),
    withoutPassword: true,
    handle: Effect.fnUntraced(function* ({ address, keepSession, session }) {
      yield* signOut(yield* tokenOf({ session }), address)
      keepSession(null)
      return null
    })
  })
}
