import { Schema } from "effect"
import { PolicyFacts } from "../../core/domain/Insurance.ts"
import { PrintedTable } from "../../core/domain/PrintedTable.ts"
import { Receipt } from "../../core/domain/Receipt.ts"
import { PolicyDocument } from "../../core/ports/Renderers.ts"

/** A document to render. */
export const DocumentJob = Schema.TaggedUnion({
  Receipt: { receipt: Receipt },
  Policy: { facts: PolicyFacts, document: PolicyDocument },
  Table: { table: PrintedTable }
})
export type DocumentJob = typeof DocumentJob.Type

const JobText = Schema.fromJsonString(Schema.toCodecJson(DocumentJob))

/** Encodes a job as text for the rendering thread. Equal texts give equal documents. */
export const encodeJob = Schema.encodeSync(JobText)

export const decodeJob = Schema.decodeSync(JobText)
