import { DateTime, Effect, Option } from "effect"
import type { Role } from "../domain/Operator.ts"
import { invitationLife, type OperatorAccount } from "../domain/OperatorAccount.ts"
import { NotOwnAccount, UnknownOperator } from "../domain/SignInErrors.ts"
import { CurrentActor } from "../ports/CurrentActor.ts"
import { OperatorSessions } from "../ports/OperatorSessions.ts"
import { type NewOperator, Operators } from "../ports/Operators.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { newToken } from "./OperatorTokens.ts"

const accountOf = Effect.fnUntraced(function* (name: string) {
  const operators = yield* Operators
  const account = yield* operators.find(name)
  return Option.isNone(account) ? yield* new UnknownOperator({ name }) : account.value
})

/** A new invitation. The token is shown only once. */
const invite = Effect.fnUntraced(function* ({ id }: Pick<OperatorAccount, "id">) {
  const sessions = yield* OperatorSessions
  const { digest, token } = yield* newToken
  const expiresAt = DateTime.addDuration(yield* DateTime.now, invitationLife)
  yield* sessions.invite(id, digest, expiresAt)
  return { token, expiresAt }
})

/** All accounts, ordered by id. */
export const listOperators = Operators.use(({ list }) => list)

/** Creates an account without credentials, and an invitation with which the operator chooses them. */
export const inviteOperator = Effect.fn("ManageOperators.inviteOperator")(function* (operator: NewOperator) {
  yield* requireAction("operator")
  const operators = yield* Operators
  const id = yield* operators.add(operator, yield* DateTime.now)
  yield* recordAudit("operator_invited", {}, { operatorId: id, before: null, after: { ...operator } })
  return { id, ...(yield* invite({ id })) }
}, atomically)

/**
 * Gives an operator a new invitation, for example after the loss of the phone. Removes the credentials and the token of
 * the account, and ends its sessions. The only active admin is refused, because until the invitation is accepted no admin
 * would be active, and then the shell would be admin.
 */
export const reinviteOperator = Effect.fn("ManageOperators.reinviteOperator")(function* (name: string) {
  yield* requireAction("operator")
  const operators = yield* Operators
  const sessions = yield* OperatorSessions
  const account = yield* accountOf(name)
  yield* operators.removeCredentials(account)
  yield* sessions.endAll(account.id)
  yield* recordAudit("operator_reinvited", {}, { operatorId: account.id, name: account.name })
  return { account, ...(yield* invite(account)) }
}, atomically)

const audited = ({ role, state }: OperatorAccount) => ({ role, suspended: state === "suspended" })

/** Changes the role of an operator, or suspends or resumes the account. Suspending ends all sessions. */
export const changeOperator = Effect.fn("ManageOperators.changeOperator")(function* (
  name: string,
  changes: { readonly role?: Role; readonly isSuspended?: boolean }
) {
  yield* requireAction("operator")
  const operators = yield* Operators
  const sessions = yield* OperatorSessions
  const before = yield* accountOf(name)
  yield* operators.change(before, changes)
  if (changes.isSuspended === true) yield* sessions.endAll(before.id)
  const after = yield* accountOf(name)
  yield* recordAudit(
    "operator_changed",
    {},
    { operatorId: before.id, name: before.name, before: audited(before), after: audited(after) }
  )
  return after
}, atomically)

/**
 * Makes a token with which programs act as the operator (OPERATOR_TOKEN), in place of an earlier one. Only
 * the operator may make the token. Otherwise an admin could confirm the admin's own proposals in the name of
 * another operator.
 */
export const issueOperatorToken = Effect.fn("ManageOperators.issueOperatorToken")(function* (name: string) {
  const operators = yield* Operators
  const account = yield* accountOf(name)
  const actor = yield* CurrentActor
  if (actor.id !== account.id) return yield* new NotOwnAccount({ name: account.name })
  const { digest, token } = yield* newToken
  yield* operators.setToken(account.id, digest)
  yield* recordAudit("operator_token_issued", {}, { operatorId: account.id, replaced: account.hasToken })
  return token
}, atomically)

/** Removes the token of an operator. The operator and admins may remove it. */
export const removeOperatorToken = Effect.fn("ManageOperators.removeOperatorToken")(function* (name: string) {
  const operators = yield* Operators
  const account = yield* accountOf(name)
  const actor = yield* CurrentActor
  if (actor.id !== account.id) yield* requireAction("operator")
  yield* operators.setToken(account.id, null)
  yield* recordAudit("operator_token_removed", {}, { operatorId: account.id, name: account.name })
  return account
}, atomically)
