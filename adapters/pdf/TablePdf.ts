import { Effect, Layer } from "effect"
import type { PrintedTable } from "../../core/domain/PrintedTable.ts"
import { issuer } from "../../core/domain/Receipt.ts"
import { TableRenderer } from "../../core/ports/Renderers.ts"
import { type Fonts, makeFonts } from "./Fonts.ts"
import { type Box, bytesOf, columns, type Document, openDocument, pointsOf } from "./PdfDocument.ts"
import { ink, spellPesos } from "./PrintStyle.ts"
import { writeIn } from "./TextLayout.ts"

/** Letter format, the country's standard. */
const page = { width: pointsOf(215.9), height: pointsOf(279.4) }
const margin = pointsOf(17)
const inner = page.width - 2 * margin
const row_height = 15
const padding = 3

const across = (y: number, height: number): Box => ({ x: margin, y, width: inner, height })

type Cell = PrintedTable["rows"][number][number]
type Column = PrintedTable["columns"][number]

const spell = (cell: Cell, kind: Column["kind"]): string => {
  if (cell === null) return ""
  return typeof cell === "number" && kind === "amount" ? spellPesos(cell) : String(cell)
}

const drawRow = (
  document: Document,
  y: number,
  table: PrintedTable,
  font: "plain" | "bold",
  textOf: (column: Column, index: number) => string
): void => {
  const cells = columns(
    across(y, row_height),
    table.columns.map((column, index) => ({ ...column, index }))
  )
  for (const [column, { height, width, x }] of cells)
    writeIn(
      document,
      { x: x + padding, y: y + padding, width: width - 2 * padding, height: height - 2 * padding },
      textOf(column, column.index),
      { font, size: 8, align: column.kind === "text" ? "left" : "right", middle: true }
    )
}

const drawHeadings = (document: Document, y: number, table: PrintedTable): number => {
  document.rect(margin, y, inner, row_height).fill(ink)
  document.fillColor("white")
  drawRow(document, y, table, "bold", ({ heading }) => heading)
  document.fillColor("black")
  return y + row_height
}

/** Draws the title and the facts. Returns the position below them. */
const drawHead = (document: Document, { facts, title }: PrintedTable): number => {
  writeIn(document, across(margin, 20), title, { font: "bold", size: 14 })
  for (const [index, fact] of facts.entries())
    writeIn(document, across(margin + 22 + index * 13, 12), fact, { font: "plain", size: 9 })
  return margin + 30 + facts.length * 13
}

const drawFoot = (document: Document, number: number): void => {
  const foot = across(page.height - margin, 10)
  writeIn(document, foot, `Emitido por ${issuer}`, { font: "plain", size: 7 })
  writeIn(document, foot, `Página ${number}`, { font: "plain", size: 7, align: "right" })
}

/** A table as PDF, on as many pages as it needs. */
export const tablePdf = (fonts: Fonts, table: PrintedTable) =>
  Effect.suspend(() => {
    const document = openDocument(fonts, { ...page, title: table.title, createdAt: table.createdAt })
    let number = 1
    let y = drawHeadings(document, drawHead(document, table), table)
    for (const row of table.rows) {
      if (y + row_height > page.height - margin - row_height) {
        drawFoot(document, number)
        number++
        document.addPage({ size: [page.width, page.height], margin: 0 })
        y = drawHeadings(document, margin, table)
      }
      drawRow(document, y, table, "plain", ({ kind }, index) => spell(row[index] ?? null, kind))
      document
        .moveTo(margin, y + row_height)
        .lineTo(margin + inner, y + row_height)
        .lineWidth(0.3)
        .stroke()
      y += row_height
    }
    drawFoot(document, number)
    return bytesOf(document)
  })

/** Renders in this thread. */
export const layer = Layer.sync(TableRenderer, () => {
  const fonts = makeFonts()
  return TableRenderer.of({ pdf: (table) => tablePdf(fonts, table) })
})
