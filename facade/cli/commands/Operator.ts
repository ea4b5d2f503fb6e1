import { Effect, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import encodeQR from "qr"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { Role } from "../../../core/domain/Operator.ts"
import { type AccountState, type OperatorAccount, OperatorEmail } from "../../../core/domain/OperatorAccount.ts"
import { acceptInvitation, confirmTotp } from "../../../core/workflows/AcceptInvitation.ts"
import {
  changeOperator,
  inviteOperator,
  issueOperatorToken,
  listOperators,
  reinviteOperator,
  removeOperatorToken
} from "../../../core/workflows/ManageOperators.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { localUrl } from "../../settings/ListenAddress.ts"
import { Settings } from "../../settings/Settings.ts"
import { shellOrigin } from "../../settings/ShellActor.ts"
import { orDefault, toggle, withNote } from "../terminal/Flags.ts"
import { type Document, formatTable, print } from "../terminal/Output.ts"
import { operatorName } from "../terminal/Parameters.ts"
import { openPrompts } from "../terminal/Prompts.ts"
import { keepSignedIn } from "./Login.ts"

const role = Flag.Literals("rol", Role.literals).pipe(
  Flag.withDescription(
    "lector reads; cajero also deposits; supervisor also proposes, confirms, sets limits and manages webhooks; admin does everything"
  )
)

const states: Readonly<Record<AccountState, string>> = {
  invited: "invitado",
  active: "activo",
  suspended: "suspendido"
}

const operatorDocument = ({ createdAt, email, hasToken, id, name, role, signedInAt, state }: OperatorAccount) => ({
  operador_id: id,
  nombre: name,
  rol: role,
  estado: states[state],
  correo: email,
  con_token: hasToken,
  ultima_entrada: signedInAt === null ? null : formatLocal(signedInAt),
  created_at: formatLocal(createdAt)
})

interface Invited {
  readonly name: string
  readonly token: Redacted.Redacted
  readonly expiresAt: Parameters<typeof formatLocal>[0]
}

/** The address of the console. Null if it is turned off. */
const consoleUrl = Settings.useSync(({ console }) =>
  console === null ? null : (console.url ?? localUrl("http", console))
)

const printInvitation = Effect.fnUntraced(function* ({ expiresAt, name, token }: Invited, document: Document) {
  const [invitation, until, url] = [Redacted.value(token), formatLocal(expiresAt), yield* consoleUrl]
  // The token is in the fragment, which browsers send to no server.
  const link = url === null ? null : `${url}/invitacion#${invitation}`
  // Without CONSOLE_URL, the address is a guess, because this process does not know at which address the console of
  // another process listens.
  const assumed = yield* Settings.useSync(({ console }) => console !== null && console.url === null)
  const advice = assumed
    ? "\nIf the console has another address, set CONSOLE_URL, or replace the address in the link."
    : ""
  yield* print(
    { ...document, invitacion: invitation, enlace: link, vence: until },
    `Send this invitation to ${name}. It can be used once, until ${until}:\n  ${link ?? invitation}${advice}\nOn the command line, ${name} runs "saldo operator accept" and pastes it.`
  )
})

const invite = Command.make(
  "invite",
  {
    name: operatorName,
    role,
    email: Flag.String("correo").pipe(
      Flag.withDescription("E-mail address, if the operator signs in with the identity provider of OIDC_ISSUER"),
      withNote("such as ana@example.com"),
      Flag.filterMap(Schema.decodeOption(OperatorEmail), () => "Expected: an e-mail address, such as ana@example.com"),
      orDefault(null, "none")
    )
  },
  Effect.fn(function* ({ email, name, role }) {
    const { expiresAt, id, token } = yield* inviteOperator({ name, role, email })
    yield* printInvitation({ name, token, expiresAt }, { operador_id: id, nombre: name, rol: role, correo: email })
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Create the account of an operator, and an invitation with which the operator chooses a password and connects an authenticator app. The invitation can be used once within 24 hours. As soon as an admin has accepted an invitation, changes on the command line need an account."
  ),
  Command.withShortDescription("Create the account of an operator"),
  Command.withExamples([
    { command: 'saldo operator invite "Ana Peña" --rol admin', description: "The first operator" },
    {
      command: "saldo operator invite Beto --rol supervisor --correo beto@example.com",
      description: "An operator who signs in with the identity provider"
    }
  ])
)

const reinvite = Command.make(
  "reinvite",
  { name: operatorName },
  Effect.fn(function* ({ name }) {
    const { account, expiresAt, token } = yield* reinviteOperator(name)
    yield* printInvitation({ name: account.name, token, expiresAt }, { operador_id: account.id, nombre: account.name })
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Give an operator a new invitation, for example after the loss of the phone. The password, the authenticator app, the token and all sessions of the account end immediately."
  ),
  Command.withShortDescription("Reset the password and the authenticator app"),
  Command.withExamples([{ command: "saldo operator reinvite Beto", description: "Beto has a new phone" }])
)

/** The token in an invitation link, or the token alone. */
const invitationIn = (text: string): string => text.trim().replace(/^.*#/, "")

const accept = Command.make(
  "accept",
  {},
  Effect.fn(function* () {
    const { askHidden } = yield* openPrompts
    const origin = yield* shellOrigin
    const invitation = invitationIn(yield* askHidden("Invitation: "))
    const password = Redacted.make(yield* askHidden("New password, at least 12 characters: "))
    const { name, secret, uri } = yield* acceptInvitation(invitation, password)
    const shown = `${encodeQR(uri, "ascii")}\nScan this code with an authenticator app, or add the key ${secret} by hand.\nCode that the app shows: `
    const { actor, token } = yield* confirmTotp(invitation, yield* askHidden(shown), origin)
    yield* keepSignedIn(token)
    yield* print({ nombre: name, rol: actor.role }, `The account of ${name} is active, and you are signed in.`)
  }, Effect.scoped)
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Accept an invitation: choose a password, connect an authenticator app, and sign in. Asks for the invitation, the password and a code, and shows none of them. Reads lines from the standard input if it is not a terminal."
  ),
  Command.withShortDescription("Accept an invitation"),
  Command.withExamples([{ command: "saldo operator accept", description: "Asks for the invitation" }])
)

const list = Command.make("list", {}, () =>
  Effect.gen(function* () {
    const items = (yield* listOperators).map(operatorDocument)
    yield* print({ items }, items.length === 0 ? "No operators yet." : formatTable(items))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription("List the operators by id, with role, state and last sign-in."),
  Command.withShortDescription("List the operators"),
  Command.withExamples([{ command: "saldo operator list", description: "All operators" }])
)

const printOperator = (account: OperatorAccount, words: string) => print(operatorDocument(account), words)

const suspension = (name: string, isSuspended: boolean, done: string, description: string) =>
  Command.make(
    name,
    { name: operatorName },
    Effect.fn(function* ({ name }) {
      const account = yield* changeOperator(name, { isSuspended })
      yield* printOperator(account, `${account.name} ${done}.`)
    })
  ).pipe(
    Command.provide(operatorLayer),
    Command.withDescription(description),
    Command.withExamples([{ command: `saldo operator ${name} Beto`, description: "The account of Beto" }])
  )

const suspend = suspension(
  "suspend",
  true,
  "is suspended, and all sessions have ended",
  "Suspend an operator. All sessions, the invitation and the token stop working immediately."
)
const resume = suspension("resume", false, "may sign in again", "Let a suspended operator sign in again.")

const setRole = Command.make(
  "role",
  { name: operatorName, role },
  Effect.fn(function* ({ name, role }) {
    const account = yield* changeOperator(name, { role })
    yield* printOperator(account, `${account.name} is now ${account.role}.`)
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription("Change the role of an operator. It applies from the next action on, also in open sessions."),
  Command.withShortDescription("Change the role of an operator"),
  Command.withExamples([{ command: "saldo operator role Beto --rol cajero", description: "Beto only deposits" }])
)

const token = Command.make(
  "token",
  { name: operatorName, isRevoked: toggle("revocar", "Remove the token, and make no new one") },
  Effect.fn(function* ({ isRevoked, name }) {
    if (isRevoked) {
      const account = yield* removeOperatorToken(name)
      return yield* print({ nombre: account.name, con_token: false }, `${account.name} has no token any more.`)
    }
    const made = Redacted.value(yield* issueOperatorToken(name))
    yield* print(
      { nombre: name, token: made },
      `${made}\nCommands with OPERATOR_TOKEN=${made} act as ${name}. The token is not stored and cannot be shown again. An earlier token stops working.`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Make a token with which programs run commands as this operator (OPERATOR_TOKEN). Only the operator may make it, so sign in first. Admins may remove it with --revocar."
  ),
  Command.withShortDescription("Make a token for OPERATOR_TOKEN"),
  Command.withExamples([{ command: "saldo operator token Ana", description: "A token for the programs of Ana" }])
)

export const operator = Command.make("operator").pipe(
  Command.withDescription("Accounts of operators, for the console and the command line"),
  Command.withSubcommands([invite, accept, list, suspend, resume, setRole, reinvite, token])
)
