import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { tableExists } from "../../../adapters/postgres/connection/Sql.ts"
import { Settings } from "../../settings/Settings.ts"
import { type Check, failed, isolated, namedByIds, passed } from "./Check.ts"

interface ActiveCompany {
  readonly id: number
  readonly insurance_enabled: boolean
}

/** The companies in production that may call the API. Null if there are no tables yet. */
const activeInProduction = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "directory.company"))) return null
  return yield* sql<ActiveCompany>`
    select id::float8 as id, insurance_enabled
    from directory.company
    where environment <> 'development' and state <> 'suspendida' and api_enabled
    order by id`
})

/** An external service, the companies that need it, and the consequence if it is not configured. */
interface NeededService {
  readonly name: "provider" | "insurer" | "sms"
  readonly variable: string
  readonly needs: (company: ActiveCompany) => boolean
  readonly consequence: string
}

const sellsInsurance = ({ insurance_enabled }: ActiveCompany) => insurance_enabled

const neededServices: ReadonlyArray<NeededService> = [
  { name: "provider", variable: "PROVIDER", needs: () => true, consequence: "sales are refused" },
  { name: "insurer", variable: "INSURER", needs: sellsInsurance, consequence: "insurance is refused" },
  { name: "sms", variable: "SMS", needs: sellsInsurance, consequence: "insurance is refused, because no code is sent" }
]

const checkNeeded = ({ consequence, name, needs, variable }: NeededService) =>
  Effect.map(activeInProduction, (companies): Check => {
    if (companies === null) return passed(name, `${variable} is not set; there are no tables yet`)
    const without = companies.filter(needs)
    return without.length === 0
      ? passed(name, `${variable} is not set, and no active company in production needs it`)
      : failed(
          name,
          `${variable} is not set, so ${consequence} for ${namedByIds("company", "companies", without)} in production: set ${variable}`
        )
  })

/** Checks that no active company in production needs an external service that is not configured. */
export const companyChecks = Effect.flatMap(Settings, ({ externalServices }) =>
  Effect.forEach(
    neededServices.filter(({ name }) => externalServices[name] === null),
    (service) => isolated(service.name, checkNeeded(service))
  )
)
