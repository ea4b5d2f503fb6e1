import { rowsOf } from "./Guards.ts"

// A row of each table of a cell, that any column may be changed of; alone it is accepted, but for what it refers to.

export const at = "'epoch'"
export const later = "'2026-01-01'"
export const balance = rowsOf("cell.balance", { company_id: 1, available: 100, updated_at: at })
export const adjustment = rowsOf("cell.adjustment", { company_id: 1, reference: "'r'", created_at: at })
export const consumption = rowsOf("cell.consumption", { company_id: 1, day: at, total: 0 })
const blockOf = { company_id: 1, list: "'sale'", first_id: 1, last_id: 4, earliest: at, latest: at, members: 4 }
export const block = rowsOf("cell.block", blockOf)
const entryOf = { company_id: 1, type: "'deposit'", amount: 5, balance: 5, created_at: at }
export const deposit = rowsOf("cell.entry", { ...entryOf, id: 1, reference: "'opening'" })
export const entry = rowsOf("cell.entry", { ...entryOf, id: 2 })
export const key = rowsOf("cell.idempotency", {
  company_id: 1,
  key: "'k'",
  owner: "gen_random_uuid()",
  fingerprint: "'\\x00'",
  transaction_id: 1,
  claimed_at: at
})
export const option = rowsOf("cell.option", {
  company_id: 1,
  id: "'o'",
  service_id: 3,
  identifier: "'809'",
  reference: "'P'",
  name: "'Paquete'",
  price: 100,
  expires_at: at
})
export const inFlight = rowsOf("cell.transaction", {
  company_id: 1,
  id: 1,
  xid: "'RD-1'",
  idempotency_key: "'k'",
  status: "'PROCESSING'",
  environment: "'development'",
  service_id: 1,
  service_name: "'s'",
  service_type: "'generic'",
  identifier: "'123'",
  amount: 100,
  reversible: "true",
  day: at,
  created_at: at
})
export const sold = (changes: Parameters<typeof inFlight>[0] = {}) =>
  inFlight({ status: "'SUCCESS'", processed_at: at, auth_code: "'x'", ...changes })
export const failed = { status: "'FAILED'", processed_at: at, auth_code: "null" }
export const reversal = rowsOf("cell.reversal", {
  company_id: 1,
  id: 1,
  transaction_id: 1,
  xid: "'RV-1'",
  idempotency_key: "'k1'",
  status: "'PENDING'",
  created_at: at
})
export const over = { status: "'DENIED'", processed_at: at }
const heard = { company_id: 1, transaction_id: 1, about: "'sale'", times: 1, first_at: at, last_at: at }
export const question = rowsOf("cell.question", { ...heard, n: 1, answer: "'Unknown'" })
export const replay = rowsOf("cell.replay", heard)
export const resolution = rowsOf("cell.resolution", {
  company_id: 1,
  transaction_id: 1,
  verdict: "'failed'",
  reason: "'r'",
  proposed_by: "'ana'",
  proposed_at: at
})
