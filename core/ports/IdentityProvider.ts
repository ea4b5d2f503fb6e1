import { Context, type Effect } from "effect"
import type { IdentityRefused } from "../domain/SignInErrors.ts"
import type { ExternalIdentity } from "./Operators.ts"

/** The facts that an identity provider has confirmed about the person who signs in. */
export interface ConfirmedIdentity extends ExternalIdentity {
  /** Null if the provider does not confirm an e-mail address. */
  readonly email: string | null
}

/** A sign-in that has begun at the identity provider. */
interface BegunSignIn {
  /** The address at the provider to which the browser goes. */
  readonly url: string
  /** The secrets of this sign-in. Only the browser that began it keeps them, and gives them back at the end. */
  readonly kept: string
}

/** The company's identity provider (OpenID Connect). */
export interface IdentityProvider {
  /** Begins a sign-in. The provider sends the browser back to `returnTo`. */
  readonly begin: (returnTo: string) => Effect.Effect<BegunSignIn, IdentityRefused>
  /**
   * Ends a sign-in. Fails unless the provider confirms the person, and the sign-in began in this browser.
   *
   * @param returned the address with which the browser came back.
   */
  readonly finish: (returned: URL, kept: string) => Effect.Effect<ConfirmedIdentity, IdentityRefused>
}

/** The configured identity provider. Null if operators sign in with passwords only. */
export const ConfiguredIdentityProvider = Context.Reference<IdentityProvider | null>("saldo/core/IdentityProvider", {
  defaultValue: () => null
})
