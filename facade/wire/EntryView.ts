import { Schema } from "effect"
import { type Entry, EntryType } from "../../core/domain/Entry.ts"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { LocalTimestamp, Pesos } from "./Views.ts"

/** A movement of the statement. Contract: 4.2. */
export const EntryView = Schema.Struct({
  movimiento_id: Schema.Int,
  tipo: EntryType,
  monto: Pesos,
  saldo: Pesos,
  transaction_id: Schema.NullOr(Schema.Int),
  referencia: Schema.NullOr(Schema.String),
  fecha: LocalTimestamp
}).annotate({ identifier: "Movimiento" })

export const entryView = (entry: Entry): typeof EntryView.Type => ({
  movimiento_id: entry.id,
  tipo: entry.type,
  monto: toPesos(entry.amount),
  saldo: toPesos(entry.balance),
  transaction_id: entry.transactionId,
  referencia: entry.reference,
  fecha: formatLocal(entry.createdAt)
})

/** The statement's columns as CSV has them, in the order of the JSON. */
export const entryColumns = Object.keys(EntryView.fields) as ReadonlyArray<keyof typeof EntryView.Type>
