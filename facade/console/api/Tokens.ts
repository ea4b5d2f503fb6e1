import { type DateTime, Duration, Effect, Redacted, Schema } from "effect"
import { formatOffset } from "../../../core/domain/LocalTime.ts"
import { Permission, TokenState } from "../../../core/domain/Token.ts"
import { type RegisteredToken, Tokens } from "../../../core/ports/Tokens.ts"
import { companyOf } from "../../../core/workflows/ManageCompany.ts"
import { changeToken, issueToken, rotateToken } from "../../../core/workflows/ManageTokens.ts"
import { integerBetween } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { addressRange, empresaId, instant, text, tokenId } from "./Fields.ts"
import { change, read } from "./Procedure.ts"

const iso = (at: DateTime.Utc | null) => (at === null ? null : formatOffset(at))

const tokenView = ({ previousUntil, token, usedAt }: RegisteredToken) => ({
  token_id: token.id as number,
  nombre: token.name,
  api_key: token.apiKey,
  estado: token.state,
  permisos: token.permissions,
  ips: token.addresses,
  expira: iso(token.expiresAt),
  por_minuto: token.callsPerMinute,
  consultas_reales: token.realLookups,
  ultimo_uso: iso(usedAt),
  expira_anterior: iso(previousUntil)
})

const perMinute_max = 1_000_000
const overlap_h_max = 30 * 24

export const tokens = {
  listar: read({
    gate: "read",
    input: input({ empresa_id: empresaId }),
    handle: Effect.fnUntraced(function* ({ input: { empresa_id } }) {
      yield* companyOf(empresa_id)
      return (yield* Tokens.use(({ list }) => list(empresa_id))).map(tokenView)
    })
  }),
  /** Issues credentials. Only this response contains the secret. */
  emitir: change({
    gate: "token",
    input: input({
      empresa_id: empresaId,
      nombre: text(100),
      permisos: Schema.optionalKey(Schema.Array(Permission)),
      ips: Schema.optionalKey(Schema.Array(addressRange)),
      expira: Schema.optionalKey(instant),
      por_minuto: Schema.optionalKey(integerBetween(1, perMinute_max, "Llamadas por minuto.")),
      consultas_reales: Schema.optionalKey(Schema.Boolean)
    }),
    handle: ({
      input: { consultas_reales = false, empresa_id, expira, ips = [], nombre, permisos = [], por_minuto }
    }) =>
      Effect.map(
        issueToken({
          companyId: empresa_id,
          name: nombre,
          permissions: permisos,
          addresses: ips,
          expiresAt: expira ?? null,
          callsPerMinute: por_minuto ?? null,
          realLookups: consultas_reales
        }),
        ({ apiKey, secret, tokenId }) => ({
          token_id: tokenId as number,
          api_key: apiKey,
          api_secret: Redacted.value(secret)
        })
      )
  }),
  rotar: change({
    gate: "token",
    input: input({ token_id: tokenId, solape_horas: integerBetween(0, overlap_h_max, "Horas.") }),
    handle: ({ input: { solape_horas, token_id } }) =>
      Effect.map(rotateToken(token_id, Duration.hours(solape_horas)), ({ apiKey, previousUntil, secret, tokenId }) => ({
        token_id: tokenId as number,
        api_key: apiKey,
        api_secret: Redacted.value(secret),
        expira_anterior: iso(previousUntil)
      }))
  }),
  cambiar: change({
    gate: "token",
    input: input({ token_id: tokenId, estado: TokenState }),
    handle: ({ input: { estado, token_id } }) => Effect.as(changeToken(token_id, estado), null)
  })
}
