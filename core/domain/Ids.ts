import { Schema } from "effect"
import { isStorable, TextBetween } from "./Text.ts"

// Ids are bigint in the database and stay below 2^53, so that JSON represents them exactly.
const Id = Schema.Int.check(Schema.isGreaterThan(0))

export const CompanyId = Id.pipe(Schema.brand("CompanyId"))
export type CompanyId = typeof CompanyId.Type

export const TokenId = Id.pipe(Schema.brand("TokenId"))
export type TokenId = typeof TokenId.Type

export const ServiceId = Id.pipe(Schema.brand("ServiceId"))
export type ServiceId = typeof ServiceId.Type

export const TransactionId = Id.pipe(Schema.brand("TransactionId"))
export type TransactionId = typeof TransactionId.Type

export const InsuranceId = Id.pipe(Schema.brand("InsuranceId"))
export type InsuranceId = typeof InsuranceId.Type

/** The phone, contract or plate that a sale is for. Saldo sends it to the provider unchanged. Contract: 4.5. */
export const Identifier = TextBetween(3, 100).pipe(Schema.brand("Identifier"))
export type Identifier = typeof Identifier.Type

/** The client's name for the till that makes the sale. Contract: 4.5. */
export const TerminalId = TextBetween(0, 50).pipe(Schema.brand("TerminalId"))
export type TerminalId = typeof TerminalId.Type

// Stored values are not checked against the limits of the edge. A stored sale must stay readable when a later version
// changes those limits.
export const StoredIdentifier = Schema.String.pipe(Schema.brand("Identifier"))
export const StoredTerminalId = Schema.String.pipe(Schema.brand("TerminalId"))

/**
 * The client's name for one operation, unique within the company for ever. Keys are compared but never printed, so
 * hidden characters are allowed. Contract: 4.5 and 8.
 */
export const IdempotencyKey = TextBetween(1, 128, isStorable).pipe(Schema.brand("IdempotencyKey"))
export type IdempotencyKey = typeof IdempotencyKey.Type
