import { DateTime, Effect, Option, type Redacted } from "effect"
import type { CatalogueDraft } from "../domain/CatalogueDraft.ts"
import { sharedSandbox } from "../domain/Company.ts"
import { Amount } from "../domain/Money.ts"
import { CatalogueAdmin } from "../ports/Catalogue.ts"
import { Companies, type NewCompany } from "../ports/Companies.ts"
import { Ledger } from "../ports/Ledger.ts"
import { Tokens } from "../ports/Tokens.ts"
import { hashSecret } from "./Authenticate.ts"

/** Public credentials of the shared sandbox company. Contract: 5. */
export interface SandboxCredentials {
  readonly apiKey: string
  readonly secret: Redacted.Redacted
}

const sandbox: NewCompany = {
  legalName: "Comercio de Prueba, S.R.L.",
  code: sharedSandbox,
  environment: "development",
  state: "activa",
  apiEnabled: true,
  insuranceEnabled: true
}

const tokenName = "sandbox"

/** Balance of the sandbox at its creation and at the start of each day, in centavos: 100,000 pesos. */
export const sandboxOpening = Amount.make(10_000_000)
const openingDeposit = { amount: sandboxOpening, reference: "sandbox-apertura" }

/**
 * Fills a new database: a catalogue if there is none, and the shared sandbox company with credentials and opening
 * deposit. Safe to run at every start and in several processes at the same time.
 *
 * @param credentials null creates no sandbox, and suspends the credentials of an existing sandbox.
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
    return yield* Effect.logWarning("the sandbox was not created because a production company has its code")
  }
  const companyId = company.value.id
  yield* ledger.deposit({ ...openingDeposit, companyId, at })
  yield* tokens.configure({ companyId, name: tokenName, apiKey, secret: yield* hashSecret(secret) }, at)
})

// The error is ignored, because the caller reads the company again: another process may have created the sandbox, or
// its code may be taken.
const createSandbox = (at: DateTime.Utc) => Effect.ignore(Companies.use((companies) => companies.create(sandbox, at)))

const closeSandbox = Effect.gen(function* () {
  const tokens = yield* Tokens
  const company = yield* sandboxCompany
  if (Option.isSome(company)) yield* tokens.suspendNamed(company.value.id, tokenName)
})

/**
 * The company with public credentials. It must be a development company, so that public credentials never move real
 * money.
 */
export const sandboxCompany = Companies.use((companies) => companies.findByCode(sandbox.code)).pipe(
  Effect.map(Option.filter(({ environment }) => environment === "development"))
)
