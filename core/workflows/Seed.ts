import { DateTime, Effect, Option, type Redacted } from "effect"
import type { CatalogueDraft } from "../domain/CatalogueDraft.ts"
import { Amount } from "../domain/Money.ts"
import { CatalogueAdmin } from "../ports/CatalogueAdmin.ts"
import { Companies, type NewCompany } from "../ports/Companies.ts"
import { Ledger } from "../ports/Ledger.ts"
import { Tokens } from "../ports/Tokens.ts"
import { hashSecret } from "./HashSecret.ts"

/** The credentials that everybody may know. Contract: 5. */
export interface SandboxCredentials {
  readonly apiKey: string
  readonly secret: Redacted.Redacted
}

const sandbox: NewCompany = {
  legalName: "Comercio de Prueba, S.R.L.",
  code: "SANDBOX",
  environment: "development",
  state: "activa",
  apiEnabled: true,
  insuranceEnabled: true
}

const tokenName = "sandbox"

/** What the sandbox owns when it is made, and at the beginning of each day, in centavos: 100,000 pesos. */
export const sandboxOpening = Amount.make(10_000_000)
const openingDeposit = { amount: sandboxOpening, reference: "sandbox-apertura" }

/**
 * Gives a database what a first sale needs: a catalogue, if it has none, and the shared sandbox company with its
 * credentials and its opening deposit. Any number of processes may do so at once, at every start.
 *
 * @param credentials null leaves the sandbox out, and suspends the credentials of one that was there.
 */
export const seed = Effect.fn("Seed.seed")(function* (
  catalogue: CatalogueDraft,
  credentials: SandboxCredentials | null
) {
  const admin = yield* CatalogueAdmin
  yield* admin.fill(catalogue)
  if (credentials === null) return yield* closeSandbox
  yield* openSandbox(credentials)
})

const openSandbox = Effect.fnUntraced(function* ({ apiKey, secret }: SandboxCredentials) {
  const tokens = yield* Tokens
  const ledger = yield* Ledger
  const at = yield* DateTime.now
  if (Option.isNone(yield* sandboxCompany)) yield* createSandbox(at)
  const company = yield* sandboxCompany
  if (Option.isNone(company)) {
    return yield* Effect.logWarning("a company in production has the code of the sandbox, which is left out")
  }
  const companyId = company.value.id
  yield* ledger.deposit({ ...openingDeposit, companyId, at })
  yield* tokens.configure({ companyId, name: tokenName, apiKey, secret: yield* hashSecret(secret) }, at)
})

// Another process may have been first, or the code may be taken: both show when the company is looked for again.
const createSandbox = (at: DateTime.Utc) => Effect.ignore(Companies.use((companies) => companies.create(sandbox, at)))

const closeSandbox = Effect.gen(function* () {
  const tokens = yield* Tokens
  const company = yield* sandboxCompany
  if (Option.isSome(company)) yield* tokens.suspendNamed(company.value.id, tokenName)
})

/** The company whose credentials everybody knows; they must never reach real money. */
export const sandboxCompany = Companies.use((companies) => companies.findByCode(sandbox.code)).pipe(
  Effect.map(Option.filter(({ environment }) => environment === "development"))
)
