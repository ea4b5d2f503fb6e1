import type { SecureRandom } from "effect/crypto"
import type { Sha256 } from "../../../core/domain/Sha256.ts"
import type { Accounts } from "../../../core/ports/Accounts.ts"
import type { AllInsurances } from "../../../core/ports/AllInsurances.ts"
import type { Atomic } from "../../../core/ports/Atomic.ts"
import type { AuditEvents } from "../../../core/ports/AuditEvents.ts"
import type { AuditLog } from "../../../core/ports/AuditLog.ts"
import type { Cases } from "../../../core/ports/Cases.ts"
import type { CatalogueAdmin } from "../../../core/ports/Catalogue.ts"
import type { CellDirectory } from "../../../core/ports/CellDirectory.ts"
import type { Closings } from "../../../core/ports/Closings.ts"
import type { Companies } from "../../../core/ports/Companies.ts"
import type { Deliveries, DeliveryReports } from "../../../core/ports/Deliveries.ts"
import type { Events } from "../../../core/ports/Events.ts"
import type { Floats } from "../../../core/ports/Floats.ts"
import type { FollowUps } from "../../../core/ports/FollowUps.ts"
import type { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import type { Histories } from "../../../core/ports/Histories.ts"
import type { Insurances } from "../../../core/ports/Insurances.ts"
import type { Insurers } from "../../../core/ports/Insurer.ts"
import type { Ledger } from "../../../core/ports/Ledger.ts"
import type { OperatorSessions } from "../../../core/ports/OperatorSessions.ts"
import type { Operators } from "../../../core/ports/Operators.ts"
import type { PasswordHash } from "../../../core/ports/PasswordHash.ts"
import type { Pepper } from "../../../core/ports/Pepper.ts"
import type { Providers } from "../../../core/ports/Provider.ts"
import type { ProviderStatements } from "../../../core/ports/ProviderStatements.ts"
import type { Resolutions } from "../../../core/ports/Resolutions.ts"
import type { Reversals } from "../../../core/ports/Reversals.ts"
import type { Statement } from "../../../core/ports/Statement.ts"
import type { Tokens } from "../../../core/ports/Tokens.ts"
import type { Totp } from "../../../core/ports/Totp.ts"
import type { AllTransactions, Transactions } from "../../../core/ports/Transactions.ts"
import type { Vault } from "../../../core/ports/Vault.ts"
import type { Webhooks } from "../../../core/ports/Webhooks.ts"
import type { InFlight } from "../../../core/workflows/InFlight.ts"
import type { Panoramas } from "../../../core/workflows/ReadPanorama.ts"
import type { Settings } from "../../settings/Settings.ts"

/** The ports that the console's procedures use. */
export type Services =
  | AllInsurances
  | Accounts
  | AllTransactions
  | Atomic
  | AuditEvents
  | AuditLog
  | Cases
  | CatalogueAdmin
  | CellDirectory
  | Closings
  | Companies
  | Deliveries
  | DeliveryReports
  | Events
  | Floats
  | FollowUps
  | FundingProposals
  | Histories
  | InFlight
  | Insurances
  | Insurers
  | Ledger
  | Operators
  | OperatorSessions
  | Panoramas
  | PasswordHash
  | Pepper
  | Providers
  | ProviderStatements
  | Resolutions
  | Reversals
  | SecureRandom.SecureRandom
  | Settings
  | Sha256
  | Statement
  | Tokens
  | Totp
  | Transactions
  | Vault
  | Webhooks
