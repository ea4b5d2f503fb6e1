import { Schema } from "effect"
import { Company } from "../../core/domain/Company.ts"

/** A row of directory.company. */
export interface CompanyRow {
  readonly id: bigint
  readonly legal_name: string
  readonly code: string
  readonly environment: string
  readonly state: string
  readonly api_enabled: boolean
  readonly insurance_enabled: boolean
}

const decode = Schema.decodeUnknownSync(Schema.toType(Company))

export const companyOf = (row: CompanyRow): Company =>
  decode({
    id: Number(row.id),
    legalName: row.legal_name,
    code: row.code,
    environment: row.environment,
    state: row.state,
    apiEnabled: row.api_enabled,
    insuranceEnabled: row.insurance_enabled
  })
