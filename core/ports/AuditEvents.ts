import { Context, type DateTime, type Effect } from "effect"
import type { AuditAction } from "../domain/AuditAction.ts"
import type { CompanyId, TokenId, TransactionId } from "../domain/Ids.ts"
import type { DayRange } from "../domain/LocalTime.ts"
import type { Actor, OperatorId } from "../domain/Operator.ts"

/** An event as the audit log shows it. */
export interface RecordedEvent {
  readonly id: number
  readonly at: DateTime.Utc
  /** The name of the action. Later versions may record names that this version does not know. */
  readonly action: string
  readonly companyId: CompanyId | null
  readonly tokenId: TokenId | null
  /** Null: recorded by a version that did not store the actor. */
  readonly actor: {
    readonly id: OperatorId | null
    readonly name: string
    readonly via: Actor["via"]
    readonly address: string | null
  } | null
  readonly details: Readonly<Record<string, unknown>>
}

/** Filter of the audit log. All given fields must match. Days are local days. */
export interface AuditFilter extends DayRange {
  /** Name of the operator, without regard to case. */
  readonly actor?: string | undefined
  readonly action?: AuditAction | undefined
  readonly companyId?: CompanyId | undefined
  readonly transactionId?: TransactionId | undefined
  readonly via?: Actor["via"] | undefined
  readonly address?: string | undefined
}

/** A page of the audit log. */
export interface AuditPage {
  readonly items: ReadonlyArray<RecordedEvent>
  /** The id with which `before` continues the list. Null: the list ends here. */
  readonly next: number | null
}

/** Reads the audit log, newest event first, for the operator. */
export class AuditEvents extends Context.Service<
  AuditEvents,
  {
    /** At most `limit` events. `before` is the id of an event: the page begins after it. Undefined: from the newest. */
    readonly page: (filter: AuditFilter, before: number | undefined, limit: number) => Effect.Effect<AuditPage>
  }
>()("saldo/core/AuditEvents") {}
