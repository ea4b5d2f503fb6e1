import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as ReceiptPdf from "../../../adapters/pdf/ReceiptPdf.ts"
import type { Receipt } from "../../../core/domain/Receipt.ts"
import { ReceiptRenderer } from "../../../core/ports/Renderers.ts"
import { type Line, readPdf } from "../../support/PdfReader.ts"
import { receipt } from "../support/Documents.ts"

const read = (of: Partial<Receipt>) =>
  Effect.map(
    ReceiptRenderer.use(({ pdf }) => pdf({ ...receipt, ...of })),
    readPdf
  )

/** The parts of the value next to a label, line by line and from left to right. */
const valueOf = (lines: ReadonlyArray<Line>, label: string, next: string): ReadonlyArray<Line> => {
  const [top, bottom] = [label, next].map((text) => lines.find((line) => line.text === text)?.y ?? Number.NaN)
  return lines
    .filter(({ text, y }) => text !== label && y <= (top ?? 0) + 0.01 && y > (bottom ?? 0) + 0.01)
    .toSorted((one, other) => other.y - one.y || one.x - other.x)
}

// Identifier, and the characters that are printed, from left to right.
const identifiers: ReadonlyArray<readonly [string, string]> = [
  ["8095551234", "8095551234"],
  // Emoji and Thai, which the main font lacks.
  ["📱📱📱📱 8095551234", "📱📱📱📱 8095551234"],
  ["กำกำ 99", "กำกำ 99"],
  ["中文 한글 १२३", "中文 한글 १२३"],
  ["📱".repeat(100), "📱".repeat(100)],
  ["W".repeat(100), "W".repeat(100)],
  // Joiners and variation selectors have no shape.
  ["👩‍👩‍👧 ☂️ 1️⃣", "👩👩👧 ☂ 1\u20e3"],
  // No font has hieroglyphs.
  ["𓀀99", "[U+13000]99"],
  // Letters from right to left, and digits from left to right.
  ["ب12345", "ب12345"],
  ["ك1 23 456", "ك1 23 456"],
  ["12ب34ك56", "12ب34ك56"],
  ["۱۲۳ ١٢٣", "۱۲۳ ١٢٣"],
  ["שלום 123-456", "םולש 123-456"],
  ["שלום אב (12) 34", "בא םולש (12) 34"],
  ["אב(גד)הו", "וה(דג)בא"]
]

layer(ReceiptPdf.layer)("a printed receipt", (it) => {
  it.effect.each(identifiers)("shows the whole identifier %s on the paper", ([identifier, printed]) =>
    Effect.gen(function* () {
      const page = yield* read({ identifier })
      const parts = valueOf(page.lines, "Identificador", "Fecha y hora")
      assert.strictEqual(parts.map(({ text }) => text).join(""), printed)
      for (const { text, width, x } of page.lines) {
        assert.isTrue(x > 0 && x + width < page.width, `${text} is printed beyond the edge of the paper`)
      }
      for (const [index, part] of parts.entries()) {
        const right = parts[index + 1]
        if (right?.y === part.y)
          assert.isAtMost(part.x + part.width, right.x + 0.01, `${part.text} overlaps the next text`)
      }
    })
  )

  it.effect.each([
    ["the authorization code", { authCode: "ك1 23 456 📱" }, "Autorización", "Monto"],
    ["the service", { service: "ب12345 กำ" }, "Servicio", "Identificador"]
  ] as const)("shows the digits of %s in their order", ([, of, label, next]) =>
    Effect.gen(function* () {
      const { lines } = yield* read(of)
      const printed = valueOf(lines, label, next).map(({ text }) => text)
      assert.strictEqual(printed.join(""), Object.values(of)[0])
    })
  )

  it.effect("has the same bytes every time, with every font", () =>
    Effect.gen(function* () {
      const { pdf } = yield* ReceiptRenderer
      const all = { ...receipt, identifier: "ب12345 📱 กำกำ" }
      assert.deepStrictEqual(yield* pdf(all), yield* pdf(all))
    })
  )
})
