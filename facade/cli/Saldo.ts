import { Command } from "effect/cli"
import { audit } from "./commands/Audit.ts"
import { catalog } from "./commands/Catalog.ts"
import { company } from "./commands/Company.ts"
import { doctor } from "./commands/Doctor.ts"
import { migrate } from "./commands/Migrate.ts"
import { reconcile } from "./commands/Reconcile.ts"
import { serve } from "./commands/Serve.ts"
import { sms } from "./commands/Sms.ts"
import { token } from "./commands/Token.ts"
import { transactions } from "./commands/Transactions.ts"
import { jsonFlag } from "./terminal/Output.ts"

/** The operator's command line. */
export const saldo = Command.make("saldo").pipe(
  Command.withDescription(
    "Sell top-ups, bills and insurance on a prepaid balance. Commands work on DATABASE_URL or, without it, on the embedded Postgres in DATA_DIR, which is started when it does not run. Times are those of Santo Domingo (UTC-4), as on the wire; a time that ends in Z is UTC. Exit codes: 0 done, 1 refused or a check failed, 2 wrong usage."
  ),
  Command.withSubcommands([serve, migrate, doctor, company, token, catalog, transactions, sms, reconcile, audit]),
  Command.withGlobalFlags([jsonFlag])
)
