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
  `  api_key:    ${apiKey}\n  api_secret: ${apiSecret}\nThe secret is not kept and cannot be shown again: store it now.\nAuthorization: Bearer ${apiKey}.${apiSecret}`

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
      "Its own limit of requests a minute"
    ).pipe(orDefault(null, "that of RATE_LIMIT_PER_MINUTE")),
    realLookups: toggle("consultas-reales", "Let its consultas reach the provider")
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
        message: `--expira is past (${DateTime.formatIso(expiresAt)}): the token would be refused from the start.`
      })
    })
  ),
  Command.withDescription("Issue credentials to a company. The secret is shown once: only its digest is kept."),
  Command.withShortDescription("Issue credentials to a company"),
  Command.withExamples([
    { command: 'saldo token issue 7 --nombre "Caja 1"', description: "A token that may do everything" },
    {
      command: "saldo token issue 7 --nombre reportes --permisos balance.read,transactions.read --ips 203.0.113.0/24",
      description: "One that only reads, from one network"
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
    const before = expires === null ? "The old one is refused from now on." : `The old one is good until ${expires}.`
    yield* print(
      { token_id: tokenId, api_key: apiKey, api_secret: apiSecret, expira_anterior: expires },
      `Token ${tokenId} has a new secret. ${before}\n${formatCredentials(apiKey, apiSecret)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Give a token a new secret, shown once. The old one stays good for the overlap, so that programs can be changed over one after the other; one from an earlier overlap is refused from now on. All else stays as it is: key, permissions, addresses, expiry, state. A start gives the sandbox the secret of SANDBOX_API_SECRET again."
  ),
  Command.withShortDescription("Give a token a new secret"),
  Command.withExamples([
    { command: "saldo token rotate 12", description: "The old secret is good for another 24 hours" },
    { command: "saldo token rotate 12 --solape 0", description: "The old secret has leaked" }
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
  "is suspended: its calls are refused until it is activated.",
  "Refuse a token's calls until it is activated again."
)
const activate = stateCommand("activate", "active", "is active.", "Let a suspended token call again.")
const revoke = stateCommand(
  "revoke",
  "revoked",
  "is revoked for good.",
  "Refuse a token's calls for good, at once and on every server. It cannot be undone."
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
    "List a company's tokens, in order of id, with the minute in which each was last used; without their secrets, which nobody has."
  ),
  Command.withShortDescription("List a company's tokens"),
  Command.withExamples([{ command: "saldo token list 7", description: "The tokens of company 7" }])
)

export const token = Command.make("token").pipe(
  Command.withDescription("Credentials of the companies"),
  Command.withSubcommands([issue, rotate, suspend, activate, revoke, list])
)
