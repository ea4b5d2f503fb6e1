import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Empty } from "./States.tsx"

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** The value by which the column sorts the rows. Without it, the column does not sort. */
  readonly sortBy?: (row: Row) => string | number
  /** Whether the cells are numbers, which are aligned at the right. */
  readonly isNumber?: boolean
}

interface TableProps<Row> {
  /** The title for screen readers, and for all readers if `showCaption`. */
  readonly caption: string
  readonly showCaption?: boolean
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string | number
  /** Shown in place of a table without rows. */
  readonly empty: string
}

interface Order {
  readonly title: string
  readonly isDescending: boolean
}

const collator = new Intl.Collator("es", { numeric: true })

const compare = (left: string | number, right: string | number): number =>
  typeof left === "number" && typeof right === "number" ? left - right : collator.compare(String(left), String(right))

const sorted = <Row,>(rows: ReadonlyArray<Row>, columns: ReadonlyArray<Column<Row>>, order: Order | null) => {
  const sortBy = columns.find(({ title }) => title === order?.title)?.sortBy
  if (sortBy === undefined || order === null) return rows
  const sign = order.isDescending ? -1 : 1
  return rows.toSorted((left, right) => sign * compare(sortBy(left), sortBy(right)))
}

const sortState = (order: Order | null, title: string) =>
  order?.title !== title ? "none" : order.isDescending ? "descending" : "ascending"

const marks = { none: "", ascending: " ▲", descending: " ▼" } as const

/** A table with columns that a click sorts. On a narrow screen it scrolls sideways in its own frame. */
export const Table = <Row,>({ caption, columns, empty, keyOf, rows, showCaption = false }: TableProps<Row>) => {
  const [order, setOrder] = useState<Order | null>(null)
  if (rows.length === 0) return <Empty>{empty}</Empty>
  const heading = ({ isNumber = false, sortBy, title }: Column<Row>) => {
    if (sortBy === undefined) return <th class={isNumber ? "number" : ""}>{title}</th>
    const state = sortState(order, title)
    const turn = () => setOrder({ title, isDescending: state === "ascending" })
    return (
      <th class={isNumber ? "number" : ""} aria-sort={state}>
        <button type="button" class="plain" onClick={turn}>
          {title}
          <span aria-hidden="true">{marks[state]}</span>
        </button>
      </th>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the frame scrolls, so the keyboard must reach it
    <section class="frame" tabIndex={0} aria-label={caption}>
      <table>
        <caption class={showCaption ? "" : "hidden"}>{caption}</caption>
        <thead>
          <tr>{columns.map(heading)}</tr>
        </thead>
        <tbody>
          {sorted(rows, columns, order).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ cell, isNumber, title }) => (
                <td key={title} class={isNumber ? "number" : ""}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface PagerProps {
  readonly page: number
  /** Null if more pages follow, but the list was not counted. */
  readonly pages: number | null
  readonly onPage: (page: number) => void
}

/** The buttons that lead to the other pages of a list. */
export const Pager = ({ onPage, page, pages }: PagerProps) =>
  pages !== null && pages <= 1 ? null : (
    <nav class="pager" aria-label="Páginas">
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Anterior
      </button>
      <span>
        Página {page}
        {pages === null ? "" : ` de ${pages}`}
      </span>
      <button type="button" disabled={pages !== null && page >= pages} onClick={() => onPage(page + 1)}>
        Siguiente
      </button>
    </nav>
  )
