import { Schema } from "effect"
import { CompanyId } from "./Ids.ts"
import { Rnc } from "./Rnc.ts"

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
  insuranceEnabled: Schema.Boolean
})
export type Company = typeof Company.Type

/** Code of the sandbox company. The credentials of this company are public. */
export const sharedSandbox = "SANDBOX"

/** Whether the company is the sandbox company. */
export const isShared = ({ code, environment }: Pick<Company, "code" | "environment">): boolean =>
  code === sharedSandbox && environment === "development"
