import { DateTime, Effect, Redacted } from "effect"
import { CliError, Command } from "effect/cli"
import type { TokenState } from "../../../core/domain/Token.ts"
import { type RegisteredToken, Tokens } from "../../../core/ports/Tokens.ts"
import { companyOf } from "../../../core/workflows/ManageCompany.ts"
import { changeToken, issueToken, rotateToken } from "../../../core/workflows/ManageTokens.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { orDefault, toggle, wholeNumber } from "../terminal/Flags.ts"
import { type Document, formatTable, print } from "../terminal/Output.ts"
import { addresses, companyId, expiry, overlap, permissions, textFlag, tokenId } from "../terminal/Parameters.ts"

const iso = (at: DateTime.Utc | null) => (at === null ? null : DateTime.formatIso(at))

const tokenDocument =
  (now: DateTime.Utc) =>
  ({ previousUntil, token, usedAt }: RegisteredToken): Document => ({
    token_id: token.id,
    nombre: token.name,
    api_key: token.apiKey,
    estado: token.state,
    permisos: token.permissions,
    ips: token.addresses,
    expira: iso(token.expiresAt),
    por_minuto: token.callsPerMinute,
    consultas_reales: token.realLookups,
    ultimo_uso: iso(usedAt),
    // Null once the previous secret has expired.
    expira_anterior: previousUntil !== null && DateTime.isGreaterThan(previousUntil, now) ? iso(previousUntil) : null
  })

const formatCredentials = (apiKey: string, apiSecret: string) =>
  `  api_key:    ${apiKey}\n  api_secret: ${apiSecret}\nThe secret is not stored and cannot be shown again. Save it now.\nAuthorization: Bearer ${apiKey}.${apiSecret}`

const perMinute_max = 1_000_000

const issue = Command.make(
  "issue",
  {
    companyId,
    name: textFlag("nombre", 100, "Name of the token, such as the shop or the program that will use it"),
    permissions,
    addresses,
    expiresAt: expiry,
    callsPerMinute: wholeNumber(
      "por-minuto",
      { minimum: 1, maximum: perMinute_max },
      "Limit of requests a minute for this token"
    ).pipe(orDefault(null, "the value of RATE_LIMIT_PER_MINUTE")),
    realLookups: toggle("consultas-reales", "Let the token's consultas reach the provider")
  },
  Effect.fn(function* (wanted) {
    const { apiKey, secret, tokenId } = yield* issueToken(wanted)
    const apiSecret = Redacted.value(secret)
    yield* print(
      { token_id: tokenId, api_key: apiKey, api_secret: apiSecret },
      `Token ${tokenId} issued.\n${formatCredentials(apiKey, apiSecret)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(
    Effect.fnUntraced(function* ({ expiresAt }) {
      if (expiresAt === null || DateTime.isGreaterThan(expiresAt, yield* DateTime.now)) return
      return yield* new CliError.ValidationError({
        message: `--expira is in the past (${DateTime.formatIso(expiresAt)}). The token would be refused from the start.`
      })
    })
  ),
  Command.withDescription(
    "Issue credentials to a company. The secret is shown only once, because only its digest is stored."
  ),
  Command.withShortDescription("Issue credentials to a company"),
  Command.withExamples([
    { command: 'saldo token issue 7 --nombre "Caja 1"', description: "A token with all permissions" },
    {
      command: "saldo token issue 7 --nombre reportes --permisos balance.read,transactions.read --ips 203.0.113.0/24",
      description: "A read-only token for one network"
    }
  ])
)

const rotate = Command.make(
  "rotate",
  { tokenId, overlap },
  Effect.fn(function* (wanted) {
    const { apiKey, previousUntil, secret, tokenId } = yield* rotateToken(wanted.tokenId, wanted.overlap)
    const apiSecret = Redacted.value(secret)
    const expires = iso(previousUntil)
    const before =
      expires === null ? "The old secret is refused from now on." : `The old secret is valid until ${expires}.`
    yield* print(
      { token_id: tokenId, api_key: apiKey, api_secret: apiSecret, expira_anterior: expires },
      `Token ${tokenId} has a new secret. ${before}\n${formatCredentials(apiKey, apiSecret)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Give a token a new secret, which is shown only once. The old secret stays valid for the overlap, so that programs can switch one after the other. A secret from an earlier overlap is refused from now on. Key, permissions, addresses, expiry and state do not change. The sandbox's secret is reset to SANDBOX_API_SECRET at each start."
  ),
  Command.withShortDescription("Give a token a new secret"),
  Command.withExamples([
    { command: "saldo token rotate 12", description: "The old secret stays valid for 24 hours" },
    {
      command: "saldo token rotate 12 --solape 0",
      description: "The old secret has leaked, so it is refused immediately"
    }
  ])
)

const stateCommand = (name: string, state: TokenState, done: string, description: string) =>
  Command.make(
    name,
    { tokenId },
    Effect.fn(function* ({ tokenId }) {
      yield* changeToken(tokenId, state)
      yield* print({ token_id: tokenId, estado: state }, `Token ${tokenId} ${done}`)
    })
  ).pipe(
    Command.provide(operatorLayer),
    Command.withDescription(description),
    Command.withExamples([{ command: `saldo token ${name} 12`, description: "Token 12" }])
  )

const suspend = stateCommand(
  "suspend",
  "suspended",
  "is suspended. Its calls are refused until it is activated.",
  "Suspend a token: its calls are refused until it is activated again."
)
const activate = stateCommand("activate", "active", "is active.", "Activate a suspended token.")
const revoke = stateCommand(
  "revoke",
  "revoked",
  "is permanently revoked.",
  "Revoke a token permanently, immediately and on all servers. This cannot be undone."
)

const list = Command.make(
  "list",
  { companyId },
  Effect.fn(function* ({ companyId }) {
    yield* companyOf(companyId)
    const tokens = yield* Tokens
    const items = (yield* tokens.list(companyId)).map(tokenDocument(yield* DateTime.now))
    yield* print({ items }, items.length === 0 ? "No tokens yet." : formatTable(items))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List a company's tokens by id, with the minute of their last use. Secrets are not shown, because they are not stored."
  ),
  Command.withShortDescription("List a company's tokens"),
  Command.withExamples([{ command: "saldo token list 7", description: "The tokens of company 7" }])
)

export const token = Command.make("token").pipe(
  Command.withDescription("Credentials of companies"),
  Command.withSubcommands([issue, rotate, suspend, activate, revoke, list])
)
