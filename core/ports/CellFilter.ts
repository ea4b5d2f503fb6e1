import { Context } from "effect"

/** The name of the only cell that an operator's read over all cells covers. Null: all cells. */
export const CellFilter = Context.Reference<string | null>("saldo/core/CellFilter", { defaultValue: () => null })
