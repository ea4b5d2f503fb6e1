import { Schema } from "effect"

/** Another account has this name. */
export class OperatorNameTaken extends Schema.TaggedError<OperatorNameTaken>()("OperatorNameTaken", {
  name: Schema.String
}) {}

/** Another account has this e-mail address. */
export class OperatorEmailTaken extends Schema.TaggedError<OperatorEmailTaken>()("OperatorEmailTaken", {
  email: Schema.String
}) {}

/** No account has this name. */
export class UnknownOperator extends Schema.TaggedError<UnknownOperator>()("UnknownOperator", {
  name: Schema.String
}) {}

/** Without this account, no operator could manage accounts. */
export class LastAdmin extends Schema.TaggedError<LastAdmin>()("LastAdmin", { name: Schema.String }) {}

/** Only the operator of an account may make its token. */
export class NotOwnAccount extends Schema.TaggedError<NotOwnAccount>()("NotOwnAccount", { name: Schema.String }) {}

/** The invitation does not exist, has expired, or was used. */
export class InvitationRefused extends Schema.TaggedError<InvitationRefused>()("InvitationRefused", {}) {}

/** The typed code does not belong to the new authenticator secret of the invited operator. */
export class CodeRefused extends Schema.TaggedError<CodeRefused>()("CodeRefused", {}) {}

/** The password is too easy to guess, or too long. */
export class PasswordRefused extends Schema.TaggedError<PasswordRefused>()("PasswordRefused", {
  why: Schema.Literals(["short", "long", "simple", "name"])
}) {}

/** The sign-in is refused. The error gives no reason, because the reason would tell which accounts exist. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {}

/** Too many sign-ins have failed for the account or from the address. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  /** Seconds until another attempt is allowed. */
  seconds: Schema.Int
}) {}

/** There is no session, or it has ended. */
export class SignedOut extends Schema.TaggedError<SignedOut>()("SignedOut", {}) {}

/** The identity provider did not confirm who signs in. */
export class IdentityRefused extends Schema.TaggedError<IdentityRefused>()("IdentityRefused", {
  reason: Schema.String
}) {}

/** All errors of accounts and of signing in. */
export type SignInError =
  | OperatorNameTaken
  | OperatorEmailTaken
  | UnknownOperator
  | LastAdmin
  | NotOwnAccount
  | InvitationRefused
  | CodeRefused
  | PasswordRefused
  | SignInRefused
  | TooManyAttempts
  | SignedOut
  | IdentityRefused
