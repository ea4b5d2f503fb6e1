import type { SecureRandom } from "effect/crypto"
import type { Sha256 } from "../../../core/domain/Sha256.ts"
import type { Accounts } from "../../../core/ports/Accounts.ts"
import type { Atomic } from "../../../core/ports/Atomic.ts"
import type { AuditEvents } from "../../../core/ports/AuditEvents.ts"
import type { AuditLog } from "../../../core/ports/AuditLog.ts"
import type { CatalogueAdmin } from "../../../core/ports/Catalogue.ts"
import type { Companies } from "../../../core/ports/Companies.ts"
import type { Events } from "../../../core/ports/Events.ts"
import type { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import type { Ledger } from "../../../core/ports/Ledger.ts"
import type { OperatorSessions } from "../../../core/ports/OperatorSessions.ts"
import type { Operators } from "../../../core/ports/Operators.ts"
import type { PasswordHash } from "../../../core/ports/PasswordHash.ts"
import type { Pepper } from "../../../core/ports/Pepper.ts"
import type { Statement } from "../../../core/ports/Statement.ts"
import type { Tokens } from "../../../core/ports/Tokens.ts"
import type { Totp } from "../../../core/ports/Totp.ts"
import type { Vault } from "../../../core/ports/Vault.ts"
import type { Panoramas } from "../../../core/workflows/ReadPanorama.ts"

/** The ports that the console's procedures use. */
export type Services =
  | Accounts
  | Atomic
  | AuditEvents
  | AuditLog
  | CatalogueAdmin
  | Companies
  | Events
  | FundingProposals
  | Ledger
  | OperatorSessions
  | Operators
  | Panoramas
  | PasswordHash
  | Pepper
  | SecureRandom.SecureRandom
  | Sha256
  | Statement
  | Tokens
  | Totp
  | Vault
