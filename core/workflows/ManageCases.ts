import { DateTime, Effect, Option } from "effect"
import type { CaseId, CaseNote } from "../domain/Case.ts"
import { isUnclosed } from "../domain/Case.ts"
import { CaseClosed, UnknownCase } from "../domain/OperatorErrors.ts"
import type { Page } from "../domain/Page.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { type CaseFilter, Cases } from "../ports/Cases.ts"
import { type ComparedStatement, type Comparison, ProviderStatements } from "../ports/ProviderStatements.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"

/** Compares a provider's statement with the sales, and stores each difference as a case. Moves no money. */
export const compareStatement = Effect.fn("ManageCases.compareStatement")(function* <E>(
  statement: Omit<ComparedStatement<E>, "at" | "record">
) {
  yield* requireAction("case")
  const statements = yield* ProviderStatements
  const log = yield* AuditLog
  const { file, provider } = statement
  const record = ({ at: _, since, until, ...counts }: Comparison) =>
    recordAudit(
      "statement_compared",
      {},
      { provider, file, since: DateTime.formatIso(since), until: DateTime.formatIso(until), ...counts }
    ).pipe(Effect.provideService(AuditLog, log))
  return yield* statements.compare({ ...statement, at: yield* DateTime.now, record })
})

/** A page of the cases, newest first. */
export const listCases = Effect.fn("ManageCases.listCases")(function* (filter: CaseFilter, page: Page) {
  const cases = yield* Cases
  return yield* cases.list(filter, page)
})

/** A case and its notes, oldest first. */
export const showCase = Effect.fn("ManageCases.showCase")(function* (id: CaseId) {
  const cases = yield* Cases
  const found = yield* cases.find(id)
  if (Option.isNone(found)) return yield* new UnknownCase({ caseId: id })
  return { found: found.value, notes: yield* cases.notes(id) }
})

const addNote = Effect.fnUntraced(function* (id: CaseId, state: CaseNote["state"], note: string) {
  const { name } = yield* requireAction("case")
  const cases = yield* Cases
  const { found } = yield* showCase(id)
  const noted = yield* cases.note(id, { at: yield* DateTime.now, operator: name, state, note })
  if (!isUnclosed(found.state) || !noted) return yield* new CaseClosed({ caseId: id })
  const action = state === "cerrado" ? "case_closed" : "case_noted"
  yield* recordAudit(action, found.companyId === null ? {} : { companyId: found.companyId }, {
    caseId: id,
    ...(found.transactionId !== null && { transactionId: found.transactionId }),
    note,
    before: { state: found.state },
    after: { state }
  })
  return yield* showCase(id)
}, atomically)

/** Adds a note to an unclosed case. */
export const noteCase = Effect.fn("ManageCases.noteCase")((id: CaseId, note: string) => addNote(id, "anotado", note))

/** Closes a case with a note that states the reason. */
export const closeCase = Effect.fn("ManageCases.closeCase")((id: CaseId, note: string) => addNote(id, "cerrado", note))
