import { DateTime, Duration, Result, Schema } from "effect"
import { OperatorId, OperatorName, Role } from "./Operator.ts"
import { PasswordRefused } from "./SignInErrors.ts"
import { canonicalText, foldedText, lengthOf } from "./Text.ts"

/** An e-mail address, by which an identity provider finds an invited account. */
export const OperatorEmail = Schema.String.check(
  Schema.makeFilter((text: string) => /^[^@\s]{1,64}@[^@\s]{1,190}$/.test(text) && canonicalText(text) === text, {
    message: "invalido"
  })
).pipe(Schema.brand("OperatorEmail"))
export type OperatorEmail = typeof OperatorEmail.Type

/** State of an account. An invited account has no credentials yet. */
export const AccountState = Schema.Literals(["invited", "active", "suspended"])
export type AccountState = typeof AccountState.Type

/** The account of an operator, without its credentials. */
export const OperatorAccount = Schema.Struct({
  id: OperatorId,
  name: OperatorName,
  /** Null if no identity provider may sign in to the account. */
  email: Schema.NullOr(OperatorEmail),
  role: Role,
  state: AccountState,
  /** Whether the account has a token for OPERATOR_TOKEN. */
  hasToken: Schema.Boolean,
  createdAt: Schema.DateTimeUtc,
  /** Null if the operator has never signed in. */
  signedInAt: Schema.NullOr(Schema.DateTimeUtc)
})
export type OperatorAccount = typeof OperatorAccount.Type

/** How long an invitation is valid. */
export const invitationLife = Duration.hours(24)

/** How long the one-time link that `npm start` prints is valid. */
export const localLinkLife = Duration.hours(12)

/** A session ends when it is not used for this time. */
const sessionIdle_max = Duration.minutes(30)

/** A session ends this long after sign-in, however much it is used. */
export const session_max = Duration.hours(12)

/** How long a session may make changes after the password was typed. */
const reauthentication_max = Duration.minutes(10)

/** The times of a session. */
export interface SessionTimes {
  readonly createdAt: DateTime.Utc
  readonly usedAt: DateTime.Utc
  readonly reauthenticatedAt: DateTime.Utc
}

const isWithin = (since: DateTime.Utc, now: DateTime.Utc, longest: Duration.Duration): boolean =>
  Duration.isLessThan(Duration.millis(DateTime.toEpochMillis(now) - DateTime.toEpochMillis(since)), longest)

/** Whether the session has not ended. */
export const isLive = ({ createdAt, usedAt }: SessionTimes, now: DateTime.Utc): boolean =>
  isWithin(createdAt, now, session_max) && isWithin(usedAt, now, sessionIdle_max)

/** Whether the password was typed recently enough for a change. */
export const isFresh = ({ reauthenticatedAt }: SessionTimes, now: DateTime.Utc): boolean =>
  isWithin(reauthenticatedAt, now, reauthentication_max)

/** Length of the time window in which failed sign-ins are counted. */
export const attemptWindow = Duration.minutes(15)

/** Maximum number of failed sign-ins within the window, for an account and from an address. */
export const failedAttempts_max = { account: 5, address: 20 }

/**
 * Seconds until another sign-in is allowed. Null if it is allowed now.
 *
 * @param failed the latest failed attempts, newest first.
 * @param failed_max maximum number of failed attempts within the window.
 */
export const secondsBlocked = (
  failed: ReadonlyArray<DateTime.Utc>,
  failed_max: number,
  now: DateTime.Utc
): number | null => {
  const oldest = failed[failed_max - 1]
  if (oldest === undefined) return null
  const left_ms = DateTime.toEpochMillis(DateTime.addDuration(oldest, attemptWindow)) - DateTime.toEpochMillis(now)
  return left_ms <= 0 ? null : Math.ceil(left_ms / 1000)
}

const password_min = 12
const password_max = 200
const distinct_min = 5

/**
 * The password in the form that is hashed, because keyboards type the same letter in different Unicode forms. Refuses
 * a password that is short, that repeats few characters, or that contains the operator's name.
 */
export const readPassword = (typed: string, name: string): Result.Result<string, PasswordRefused> => {
  const password = typed.normalize("NFKC")
  const fail = (why: PasswordRefused["why"]) => Result.fail(new PasswordRefused({ why }))
  if (lengthOf(password) < password_min) return fail("short")
  if (lengthOf(password) > password_max) return fail("long")
  if (new Set(foldedText(password)).size < distinct_min) return fail("simple")
  return lengthOf(name) > 3 && foldedText(password).includes(foldedText(name)) ? fail("name") : Result.succeed(password)
}
