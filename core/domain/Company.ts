import { Schema } from "effect"
import { CompanyId } from "./Ids.ts"
import { Rnc } from "./Rnc.ts"
import { withoutAccents } from "./Text.ts"

/**
 * Companies in `development` sell through the simulator, companies in `production` through real providers. Contract: 5.
 */
export const Environment = Schema.Literals(["development", "production"])
export type Environment = typeof Environment.Type

export const CompanyState = Schema.Literals(["activa", "vip", "suspendida"])
export type CompanyState = typeof CompanyState.Type

/** A business that sells through the service. Contract: 2.2 and 5. */
export const Company = Schema.Struct({
  id: CompanyId,
  legalName: Schema.String,
  /** Taxpayer number. Absent if the operator has not recorded one. */
  rnc: Schema.optionalKey(Rnc),
  code: Schema.String,
  environment: Environment,
  state: CompanyState,
  apiEnabled: Schema.Boolean,
  insuranceEnabled: Schema.Boolean,
  /** Name of the cell that has the company's rows. */
  cell: Schema.String
})
export type Company = typeof Company.Type

/** Filter of companies. All given fields must match. */
export interface CompanyFilter {
  /** Part of the name or code, ignoring case and accents, or the beginning of the RNC, or the id. */
  readonly text?: string | undefined
  readonly state?: CompanyState | undefined
  readonly environment?: Environment | undefined
}

export const companiesMatching = (
  companies: ReadonlyArray<Company>,
  { environment, state, text = "" }: CompanyFilter
): ReadonlyArray<Company> => {
  const wanted = withoutAccents(text.trim())
  const digits = wanted.replaceAll("-", "")
  return companies.filter(
    (company) =>
      (state === undefined || company.state === state) &&
      (environment === undefined || company.environment === environment) &&
      (withoutAccents(`${company.legalName}\n${company.code}`).includes(wanted) ||
        (digits !== "" && company.rnc?.startsWith(digits) === true) ||
        String(company.id) === wanted)
  )
}

/** Code of the sandbox company. The credentials of this company are public. */
export const sharedSandbox = "SANDBOX"

/** Whether the company is the sandbox company. */
export const isShared = ({ code, environment }: Pick<Company, "code" | "environment">): boolean =>
  code === sharedSandbox && environment === "development"
