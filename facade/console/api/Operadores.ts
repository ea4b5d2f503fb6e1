import { Effect, Redacted, Result, Schema } from "effect"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { OperatorName, Role } from "../../../core/domain/Operator.ts"
import { type OperatorAccount, OperatorEmail } from "../../../core/domain/OperatorAccount.ts"
import { canonicalText } from "../../../core/domain/Text.ts"
import {
  changeOperator,
  inviteOperator,
  listOperators,
  reinviteOperator,
  removeOperatorToken
} from "../../../core/workflows/ManageOperators.ts"
import { readBy } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { label } from "./Fields.ts"
import { change, read } from "./Procedure.ts"

const accountView = ({ createdAt, email, hasToken, name, role, signedInAt, state }: OperatorAccount) => ({
  nombre: name as string,
  correo: email as string | null,
  rol: role,
  estado: state,
  tiene_ficha: hasToken,
  creado_en: formatOffset(createdAt),
  ultima_entrada: signedInAt === null ? null : formatOffset(signedInAt)
})

const canonical = <A>(to: Schema.Codec<A, string>) =>
  readBy<A, string>(
    Schema.toType(to) as unknown as Schema.Codec<A, unknown>,
    (raw) =>
      typeof raw === "string"
        ? Result.mapError(Schema.decodeResult(to)(canonicalText(raw)), () => "invalido")
        : Result.fail("invalido"),
    { type: "string" }
  )

/** The name of an existing account. */
const nombre = label(80)

interface Invited {
  readonly token: Redacted.Redacted
  readonly expiresAt: Parameters<typeof formatOffset>[0]
}

/** The token of the link that the operator opens, shown only once. */
const invitationView = ({ expiresAt, token }: Invited) => ({
  enlace: Redacted.value(token),
  vence_en: formatOffset(expiresAt)
})

export const operadores = {
  listar: read({
    gate: "read",
    input: input({}),
    handle: () => Effect.map(listOperators, (accounts) => accounts.map(accountView))
  }),
  invitar: change({
    gate: "operator",
    input: input({ nombre: canonical(OperatorName), rol: Role, correo: Schema.optionalKey(canonical(OperatorEmail)) }),
    handle: ({ input: { correo = null, nombre, rol } }) =>
      Effect.map(inviteOperator({ name: nombre, role: rol, email: correo }), invitationView)
  }),
  /** Gives an operator a new invitation. The earlier credentials of the account stop working. */
  reinvitar: change({
    gate: "operator",
    input: input({ nombre }),
    handle: ({ input }) => Effect.map(reinviteOperator(input.nombre), invitationView)
  }),
  cambiar: change({
    gate: "operator",
    input: input({ nombre, rol: Schema.optionalKey(Role), suspendido: Schema.optionalKey(Schema.Boolean) }),
    handle: ({ input: { nombre, rol, suspendido } }) =>
      Effect.map(
        changeOperator(nombre, {
          ...(rol !== undefined && { role: rol }),
          ...(suspendido !== undefined && { isSuspended: suspendido })
        }),
        accountView
      )
  }),
  /** Removes the token with which programs act as the operator. */
  quitarFicha: change({
    gate: "operator",
    input: input({ nombre }),
    handle: ({ input }) => Effect.as(removeOperatorToken(input.nombre), null)
  })
}
