import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as PolicyPdf from "../../../adapters/pdf/PolicyPdf.ts"
import type { PolicyFacts } from "../../../core/domain/Insurance.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { Plate } from "../../../core/domain/Person.ts"
import { type Line, readPdf } from "../../support/PdfReader.ts"
import { documents, facts, read, render, words } from "../support/Documents.ts"

const numbered = (number: string): PolicyFacts => ({ ...facts, policy: { ...facts.policy, number } })

const testMark = "SIN VALIDEZ — PRUEBA"

layer(PolicyPdf.layer)("the documents of a policy (contract 4.6, step 8):", (it) => {
  it.effect.each([
    ["poliza", 215.9, 279.4],
    ["marbete", 100, 70]
  ] as const)("%s is one page of %d by %d millimetres", ([kind, width, height]) =>
    Effect.gen(function* () {
      const page = yield* read(facts, kind)
      assert.strictEqual(page.pages, 1)
      assert.closeTo((page.width / 72) * 25.4, width, 0.01)
      assert.closeTo((page.height / 72) * 25.4, height, 0.01)
    })
  )

  it.effect.each(documents)("%s has the same bytes at any time and on any machine", (kind) =>
    Effect.gen(function* () {
      const once = yield* render(facts, kind)
      const elsewhere = yield* render(facts, kind).pipe(Effect.provide(PolicyPdf.layer))
      assert.deepStrictEqual(elsewhere, once)
      assert.notDeepEqual(yield* render({ ...facts, plate: Plate.make("A123457") }, kind), once)
      assert.include(readPdf(once).source, "(D:20260305033005Z)")
    })
  )

  it.effect("the policy states the insured person, the vehicle, the dates and the price", () =>
    Effect.gen(function* () {
      const { lines } = yield* read(facts, "poliza")
      const said = words(lines)
      for (const part of [
        "Saldo Intermediario de seguros Póliza n.º 1-501-0123456 Póliza de seguro obligatorio de vehículos de motor",
        "Vigente desde 4 de marzo de 2026",
        "Vigente hasta, ese día incluido 3 de marzo de 2027",
        // 03:30 in UTC belongs to the previous local day.
        "Emitida, hora de Santo Domingo 4 de marzo de 2026, 23:30:05",
        "Nombre completo Titular Ñandú Núm Łódź Cédula 001-1234567-8 Teléfono 809-555-1234",
        "Placa A123456 Marca Citroën Modelo C3 Año 2018",
        "Tipo Automóvil Versión Feel 1.2 Chasis VF7SXHMZ6JT512345",
        "Plan Seguro de ley básico Duración 12 meses Daños a la propiedad ajena hasta RD$ 100,000; fianza judicial hasta RD$ 200,000.",
        "Servicio de grúa RD$ 700.50 Casa del conductor RD$ 500.00",
        "Prima total pagada, servicios opcionales incluidos RD$ 5,700.50",
        "La venta de este seguro no se anula."
      ]) {
        assert.include(said, part)
      }
    })
  )

  it.effect.each(["1-501 ك1 23 456", "📱 8095551234", "กำกำ 99"])(
    "the documents print the policy number %s in full",
    (number) =>
      Effect.gen(function* () {
        for (const kind of documents) {
          const { lines } = yield* read(numbered(number), kind)
          const [label] = lines.filter(({ text }) => text === "Póliza n.º")
          const below = lines.filter(({ y }) => y < (label?.y ?? 0) && y > (label?.y ?? 0) - 30)
          assert.include(below.map(({ text }) => text).join(""), number)
        }
      })
  )

  it.effect("the policy states a length of one month and the absence of extras", () =>
    Effect.gen(function* () {
      const { lines } = yield* read(
        {
          ...facts,
          plan: { ...facts.plan, months: 1 },
          quote: { ...facts.quote, extras: [], total: Amount.make(100) }
        },
        "poliza"
      )
      assert.include(words(lines), "Duración 1 mes ")
      assert.include(words(lines), "Sin servicios opcionales Prima total pagada RD$ 1.00 Condiciones")
    })
  )

  it.effect.each([
    ["automovil", "Automóvil"],
    ["jeepeta", "Jeepeta"],
    ["camioneta", "Camioneta"],
    ["motocicleta", "Motocicleta"]
  ] as const)("the documents name the vehicle type %s as %s", ([type, name]) =>
    Effect.gen(function* () {
      const of = { ...facts, insured: { ...facts.insured, vehicle: { ...facts.insured.vehicle, type } } }
      assert.include(words((yield* read(of, "poliza")).lines), `Tipo ${name} `)
      assert.include(words((yield* read(of, "marbete")).lines), `Citroën C3 2018, ${name.toLowerCase()}`)
    })
  )

  it.effect("the sticker shows the plate and nothing about the owner", () =>
    Effect.gen(function* () {
      const { lines } = yield* read(facts, "marbete")
      const said = words(lines)
      for (const part of ["Póliza n.º 1-501-0123456", "Vigente desde 04/03/2026", "Vigente hasta 03/03/2027"]) {
        assert.include(said, part)
      }
      const plate = lines.find(({ text }) => text === facts.plate)
      assert.isAtLeast(plate?.size ?? 0, 30)
      assert.deepStrictEqual(
        lines.filter(({ size }) => size >= 30),
        [plate]
      )
      for (const hidden of ["Titular", "Ñandú", "0011234567", "001-", "8095551234", "809-", "VF7"]) {
        assert.notInclude(said, hidden)
      }
    })
  )

  it.effect.each([
    ["1-501-0123456", "POLIZA 1-501-0123456\nPLACA A123456\nDESDE 2026-03-04\nHASTA 2027-03-03"],
    ["SBX0123456789AB", "POLIZA SBX0123456789AB\nPLACA A123456\nDESDE 2026-03-04\nHASTA 2027-03-03\nPRUEBA SIN VALIDEZ"]
  ] as const)("%s carries a QR code that reads %j", ([number, code]) =>
    Effect.gen(function* () {
      for (const kind of documents) assert.strictEqual((yield* read(numbered(number), kind)).code, code)
    })
  )

  it.effect.each([
    ["SBX0123456789AB", true],
    ["SBX", true],
    ["1-501-0123456", false],
    ["XSBX1", false],
    ["sbx1", false]
  ] as const)("documents of %s carry the test mark: %s", ([number, marked]) =>
    Effect.gen(function* () {
      for (const kind of documents) {
        const { lines } = yield* read(numbered(number), kind)
        // A marked page shows the mark twice: once upright in a band, once across the page.
        const marks = lines.filter(({ text }) => text.startsWith(testMark)).map(({ upright }) => upright)
        assert.sameMembers(marks, marked ? [true, false] : [])
      }
    })
  )
})

interface Ink {
  readonly of: string
  readonly left: number
  readonly right: number
  readonly low: number
  readonly high: number
}

/** How far glyphs reach below and above the baseline, relative to the font size. */
const [below, above] = [0.236, 0.928]

const inkOf = ({ size, text, width, x, y }: Line): Ink => ({
  of: text,
  left: x,
  right: x + width,
  low: y - below * size,
  high: y + above * size
})

/** Tolerance for rounding errors of the file format. */
const slack = 0.01

const overlap = (one: Ink, other: Ink): boolean =>
  one.left + slack < other.right &&
  other.left + slack < one.right &&
  one.low + slack < other.high &&
  other.low + slack < one.high

/** All boxes on the page: each line of text, and the QR code as one box. */
const inksOn = ({ height, lines, squares }: ReturnType<typeof readPdf>): ReadonlyArray<Ink> => {
  const [xs, ys] = [squares.flatMap(({ side, x }) => [x, x + side]), squares.flatMap(({ side, y }) => [y, y + side])]
  const code = { of: "the code", left: Math.min(...xs), right: Math.max(...xs) }
  return [
    ...lines.filter(({ upright }) => upright).map(inkOf),
    { ...code, low: height - Math.max(...ys), high: height - Math.min(...ys) }
  ]
}

const cover = "Ampara la responsabilidad civil frente a terceros: "

/** A policy in which every text is `name` and the cover text is `coverage`. Numbers have their maximum length. */
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
  ["names of 40 letters that begin like a name of the simulator", filled(`SBX${"Ñ".repeat(37)}`)],
  ["names of one letter", filled("Ñ")],
  ["names of 40 emoji in a word", filled("📱".repeat(40))],
  ["names of Thai, Arabic and Chinese words", filled("กำกำ 99 محمد علي 12345 中文".repeat(2))],
  ["empty names", filled("")],
  ["names of 120 letters, and a cover text of 2000", filled("Ñandú y ".repeat(15), cover.repeat(40))],
  ["a cover text without a space", filled("Titular", "W".repeat(500))],
  ["a cover text of twenty lines", filled("Titular", `${cover}\n`.repeat(20))],
  ["names and a cover text of 10000 letters", filled("Ñandú Łódź ".repeat(1_000), cover.repeat(200))]
]

layer(PolicyPdf.layer)("a policy", (it) => {
  it.effect.each(extremes)("with %s keeps every text on the page without overlap", ([, of]) =>
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

  // These texts have the maximum lengths that the insurer protocol allows.
  it.effect("prints texts of the maximum length in full", () =>
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

  it.effect("shortens a cover text that is too long, with an ellipsis at its end", () =>
    Effect.gen(function* () {
      const { lines } = yield* read(filled("Titular", cover.repeat(200)), "poliza")
      assert.match(words(lines), /responsabilidad civil[^…]*… Servicios opcionales/)
    })
  )
})
