import { Struct } from "effect"
import type { CatalogueDraft, CategoryDraft, PackageDraft, ServiceDraft } from "./CatalogueDraft.ts"

/** An entry that an import adds (`before` is null) or changes. */
export type EntryChange =
  | { readonly list: "categories"; readonly before: CategoryDraft | null; readonly after: CategoryDraft }
  | { readonly list: "services"; readonly before: ServiceDraft | null; readonly after: ServiceDraft }
  | { readonly list: "packages"; readonly before: PackageDraft | null; readonly after: PackageDraft }

/** The entries of a draft that differ from the catalogue. Entries that the draft does not name do not change. */
export const changesBetween = (catalogue: CatalogueDraft, draft: CatalogueDraft): ReadonlyArray<EntryChange> => [
  ...differing(catalogue.categories, draft.categories).map((change) => ({ list: "categories" as const, ...change })),
  ...differing(catalogue.services, draft.services).map((change) => ({ list: "services" as const, ...change })),
  ...differing(catalogue.packages, draft.packages).map((change) => ({ list: "packages" as const, ...change }))
]

const differing = <Entry extends { readonly id: number }>(
  known: ReadonlyArray<Entry>,
  wanted: ReadonlyArray<Entry>
): ReadonlyArray<{ readonly before: Entry | null; readonly after: Entry }> => {
  const byId = new Map(known.map((entry) => [entry.id, entry]))
  return wanted.flatMap((after) => {
    const before = byId.get(after.id) ?? null
    return before !== null && isEqual(before, after) ? [] : [{ before, after }]
  })
}

// `===` is enough, because every field of an entry is a text, a number or a boolean.
const isEqual = <Entry extends object>(one: Entry, other: Entry): boolean =>
  Struct.keys(one).every((field) => one[field] === other[field])

/** The fields of a change that differ, before and after. For a new entry, `before` is null and `after` has all fields. */
export const changedFields = ({ after, before, list }: EntryChange) => {
  const { id } = after
  if (before === null) return { list, id, before, after }
  const earlier: Readonly<Record<string, unknown>> = { ...before }
  const changed = Object.entries(after).filter(([field, value]) => earlier[field] !== value)
  return {
    list,
    id,
    before: Object.fromEntries(changed.map(([field]) => [field, earlier[field]])),
    after: Object.fromEntries(changed)
  }
}
