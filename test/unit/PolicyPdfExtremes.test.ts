import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as PolicyPdf from "../../adapters/pdf/PolicyPdf.ts"
import type { PolicyFacts } from "../../core/domain/Insurance.ts"
import { Amount } from "../../core/domain/Money.ts"
import { Plate } from "../../core/domain/Person.ts"
import type { Line, readPdf } from "../support/Pdf.ts"
import { documents, facts, read, words } from "./support/Policies.ts"

interface Ink {
  readonly of: string
  readonly left: number
  readonly right: number
  readonly low: number
  readonly high: number
}

/** How far the letters of the font reach below and above their line, to their size. */
const [below, above] = [0.236, 0.928]

const inkOf = ({ size, text, width, x, y }: Line): Ink => ({
  of: text,
  left: x,
  right: x + width,
  low: y - below * size,
  high: y + above * size
})

/** Rounding in the file. */
const slack = 0.01

const overlap = (one: Ink, other: Ink): boolean =>
  one.left + slack < other.right &&
  other.left + slack < one.right &&
  one.low + slack < other.high &&
  other.low + slack < one.high

/** Everything that stands on the page: the lines, and the code as a whole. */
const inksOn = ({ height, lines, squares }: ReturnType<typeof readPdf>): ReadonlyArray<Ink> => {
  const [xs, ys] = [squares.flatMap(({ side, x }) => [x, x + side]), squares.flatMap(({ side, y }) => [y, y + side])]
  const code = { of: "the code", left: Math.min(...xs), right: Math.max(...xs) }
  return [
    ...lines.filter(({ upright }) => upright).map(inkOf),
    { ...code, low: height - Math.max(...ys), high: height - Math.min(...ys) }
  ]
}

const cover = "Ampara la responsabilidad civil frente a terceros: "

/** Every name is this, the number as far as a number goes, and the cover text too unless told otherwise. */
const filled = (name: string, coverage = name): PolicyFacts => ({
  ...facts,
  policy: { ...facts.policy, number: name.slice(0, 64) },
  insured: {
    ...facts.insured,
    holder: name,
    vehicle: { brand: name, model: name, year: 2018, type: "motocicleta", chassis: name }
  },
  plate: Plate.make("W8888888"),
  version: { ...facts.version, name },
  plan: { ...facts.plan, name, coverage, months: 120 },
  quote: {
    ...facts.quote,
    total: Amount.make(99_999_999_999_99),
    extras: facts.quote.extras.map((extra) => ({ ...extra, name, price: Amount.make(99_999_999_999_99) }))
  }
})

const extremes: ReadonlyArray<readonly [string, PolicyFacts]> = [
  ["names of 40 wide letters in a word", filled("W".repeat(40))],
  ["names of 40 letters in words", filled("María de los Ángeles Ñúñez de Peña-Ünal.")],
  ["names of 40 letters of the simulator", filled(`SBX${"Ñ".repeat(37)}`)],
  ["names of one letter", filled("Ñ")],
  ["names of nothing", filled("")],
  ["names of 120 letters, and a cover text of 2000", filled("Ñandú y ".repeat(15), cover.repeat(40))],
  ["a cover text without a space", filled("Titular", "W".repeat(500))],
  ["a cover text of twenty lines", filled("Titular", `${cover}\n`.repeat(20))],
  ["names and a cover text of 10000 letters", filled("Ñandú Łódź ".repeat(1_000), cover.repeat(200))]
]

layer(PolicyPdf.layer)("a policy with", (it) => {
  it.effect.each(extremes)("%s keeps every text on the page and off the others", ([, of]) =>
    Effect.gen(function* () {
      for (const kind of documents) {
        const page = yield* read(of, kind)
        assert.strictEqual(page.pages, 1)
        const inks = inksOn(page)
        assert.isAbove(inks.length, kind === "poliza" ? 30 : 8)
        for (const [index, ink] of inks.entries()) {
          assert.isTrue(
            ink.left > 0 && ink.right < page.width && ink.low > 0 && ink.high < page.height,
            `${ink.of} leaves the ${kind}`
          )
          for (const other of inks.slice(index + 1)) {
            assert.isFalse(overlap(ink, other), `${ink.of} is written over ${other.of} on the ${kind}`)
          }
        }
      }
    })
  )

  // As long as the protocol for insurers lets them be.
  it.effect("the longest texts there may be shows the whole of each", () =>
    Effect.gen(function* () {
      const long = (letters: number) =>
        `${"Leña y Cañas de "
          .repeat(letters)
          .slice(0, letters - 4)
          .trim()} fin`
      const of = filled(long(64), `${cover.repeat(19)}hasta aquí.`)
      const vehicle = { ...of.insured.vehicle, brand: long(100), model: long(100) }
      const longest = {
        ...of,
        insured: { ...of.insured, holder: long(200), vehicle },
        version: { ...of.version, name: long(200) },
        plan: { ...of.plan, name: long(200) },
        quote: { ...of.quote, extras: of.quote.extras.map((extra) => ({ ...extra, name: long(200) })) }
      }
      const poliza = words((yield* read(longest, "poliza")).lines)
      for (const part of [
        `Póliza n.º ${long(64)} Póliza`,
        `Nombre completo ${long(200)} Cédula`,
        `Marca ${long(100)} Modelo ${long(100)} Año`,
        `Versión ${long(200)} Chasis ${long(64)} Cobertura`,
        `Plan ${long(200)} Duración`,
        of.plan.coverage,
        `${long(200)} RD$ 99,999,999,999.99 ${long(200)} RD$ 99,999,999,999.99 Prima`
      ]) {
        assert.include(poliza, part)
      }
      const marbete = words((yield* read(longest, "marbete")).lines)
      assert.include(marbete, `${long(100)} ${long(100)} 2018, motocicleta Póliza n.º ${long(64)} Vigente desde`)
    })
  )

  it.effect("a cover text that cannot be shown says that it goes on", () =>
    Effect.gen(function* () {
      const { lines } = yield* read(filled("Titular", cover.repeat(200)), "poliza")
      assert.match(words(lines), /responsabilidad civil[^…]*… Servicios opcionales/)
    })
  )
})
