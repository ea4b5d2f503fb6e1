import type { PasswordRefused, SignInError } from "../../core/domain/SignInErrors.ts"
import type { Refusal } from "./terminal/Output.ts"

const passwordMessages: { readonly [Why in PasswordRefused["why"]]: string } = {
  short: "A password needs at least 12 characters.",
  long: "A password has at most 200 characters.",
  simple: "A password needs at least 5 different characters.",
  name: "A password may not contain the operator's name."
}

/** The message for each error that a command about accounts, or a sign-in, may return. */
export const signInRefusals: {
  readonly [Tag in SignInError["_tag"]]: (error: Extract<SignInError, { _tag: Tag }>) => Refusal
} = {
  OperatorNameTaken: ({ name }) => ({
    code: "OPERATOR_NAME_TAKEN",
    message: `An operator named ${name} already exists. Choose a different name, or make a new link for this operator with "saldo operator reinvite".`,
    details: { nombre: name }
  }),
  OperatorEmailTaken: ({ email }) => ({
    code: "OPERATOR_EMAIL_TAKEN",
    message: `Another operator has the address ${email}. "saldo operator list" shows all operators.`,
    details: { correo: email }
  }),
  UnknownOperator: ({ name }) => ({
    code: "OPERATOR_NOT_FOUND",
    message: `There is no operator named ${name}. "saldo operator list" shows all operators.`,
    details: { nombre: name }
  }),
  LastAdmin: ({ name }) => ({
    code: "LAST_ADMIN",
    message: `${name} is the only active admin. Nothing was changed. Give another operator the role admin first.`,
    details: { nombre: name }
  }),
  NotOwnAccount: ({ name }) => ({
    code: "NOT_OWN_ACCOUNT",
    message: `Only ${name} may make this token. Sign in as ${name} with "saldo login" first.`,
    details: { nombre: name }
  }),
  InvitationRefused: () => ({
    code: "INVITATION_REFUSED",
    message:
      'This invitation does not exist, was used, or is older than 24 hours. An admin makes a new one with "saldo operator reinvite".'
  }),
  CodeRefused: () => ({
    code: "CODE_REFUSED",
    message: "The code is wrong. Check the clock of the phone, and type the code that the app shows now."
  }),
  PasswordRefused: ({ why }) => ({
    code: "PASSWORD_REFUSED",
    message: passwordMessages[why],
    details: { motivo: why }
  }),
  SignInRefused: () => ({
    code: "SIGN_IN_REFUSED",
    message: "The name, the password or the code is wrong, or the account is suspended. A code works only once."
  }),
  TooManyAttempts: ({ seconds }) => ({
    code: "TOO_MANY_ATTEMPTS",
    message: `Too many sign-ins have failed. Try again in ${seconds} seconds.`,
    details: { segundos: seconds }
  }),
  SignedOut: () => ({
    code: "SIGNED_OUT",
    message: 'OPERATOR_TOKEN is no longer valid. Unset it and sign in with "saldo login".'
  }),
  IdentityRefused: ({ reason }) => ({
    code: "IDENTITY_REFUSED",
    message: `The identity provider did not confirm the sign-in: ${reason}`
  })
}
