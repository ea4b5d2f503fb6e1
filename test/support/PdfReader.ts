import { inflateSync } from "node:zlib"
import decodeQR from "qr/decode.js"

// The last byte of a stream may be a carriage return, so only the line feed before endstream is a separator.
const streamForm = /(?<!end)stream\r?\n(?<bytes>.*?)\nendstream/gs

/** The text of a PDF with its compressed streams unpacked, without fonts and images. */
const inflated = (pdf: Uint8Array): string =>
  Buffer.from(pdf)
    .toString("latin1")
    .replace(streamForm, (_, bytes: string) => {
      const part = Buffer.from(bytes, "latin1")
      return part[0] === 0x78 ? `stream\n${inflateSync(part).toString("latin1")}\nendstream` : ""
    })

interface Font {
  readonly letters: ReadonlyArray<string>
  /** Widths of the glyphs, in thousandths of the font size. */
  readonly widths: ReadonlyArray<number>
}

const fontsOf = (objects: ReadonlyMap<string, string>): ReadonlyMap<string, Font> => {
  const inside = (text: string, form: RegExp) => form.exec(text)?.[1] ?? ""
  const page = [...objects.values()].join("\n")
  return new Map(
    [...page.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = "", id = ""]) => {
      const font = objects.get(id) ?? ""
      const letters = inside(objects.get(inside(font, /\/ToUnicode (\d+)/)) ?? "", /beginbfrange\n(.*)endbfrange/s)
      const widths = inside(objects.get(inside(font, /\/DescendantFonts \[(\d+)/)) ?? "", /\/W \[0 \[([^\]]*)\]/)
      return [
        name,
        {
          letters: [...letters.matchAll(/\[(.*?)\]/gs)].flatMap(([, range = ""]) =>
            [...range.matchAll(/<([\da-f ]+)>/g)].map(([, code = ""]) =>
              String.fromCharCode(...code.split(" ").map((unit) => Number.parseInt(unit, 16)))
            )
          ),
          widths: widths.trim().split(/\s+/).map(Number)
        }
      ]
    })
  )
}

type Matrix = readonly [number, number, number, number, number, number]

const onto = ([a, b, c, d, e, f]: Matrix, [A, B, C, D, E, F]: Matrix): Matrix => [
  a * A + b * C,
  a * B + b * D,
  c * A + d * C,
  c * B + d * D,
  e * A + f * C + E,
  e * B + f * D + F
]

/**
 * A text drawn by one PDF operator. Its position is the left end of the baseline, measured from the lower left corner
 * of the page.
 */
export interface Line {
  readonly text: string
  readonly x: number
  readonly y: number
  readonly size: number
  readonly width: number
  /** Whether the text is not rotated. */
  readonly upright: boolean
}

interface Square {
  readonly x: number
  readonly y: number
  readonly side: number
}

/** Interprets the drawing operators of a PDF page. */
class Reader {
  readonly lines: Array<Line> = []
  readonly squares: Array<Square> = []
  private readonly saved: Array<Matrix> = []
  private matrix: Matrix = [1, 0, 0, 1, 0, 0]
  private text: Matrix = [1, 0, 0, 1, 0, 0]
  private font: Font = { letters: [], widths: [] }
  private size = 0
  private readonly fonts: ReadonlyMap<string, Font>

  constructor(fonts: ReadonlyMap<string, Font>) {
    this.fonts = fonts
  }

  read(program: string): void {
    for (const line of program.split("\n")) {
      const words = line.split(" ")
      const numbers = words.map(Number)
      switch (words.at(-1)) {
        case "q":
          this.saved.push(this.matrix)
          break
        case "Q":
          this.matrix = this.saved.pop() ?? this.matrix
          break
        case "cm":
          this.matrix = onto(numbers.slice(0, 6) as unknown as Matrix, this.matrix)
          break
        case "Tm":
          this.text = onto(numbers.slice(0, 6) as unknown as Matrix, this.matrix)
          break
        case "Tf":
          this.font = this.fonts.get((words[0] ?? "").slice(1)) ?? this.font
          this.size = numbers[1] ?? 0
          break
        case "TJ":
          this.write(line)
          break
        case "re":
          this.square(numbers)
      }
    }
  }

  private square([x = 0, y = 0, width, height]: ReadonlyArray<number>): void {
    if (width !== undefined && width === height) this.squares.push({ x, y, side: width })
  }

  private write(shown: string): void {
    const { letters, widths } = this.font
    const glyphs = [...shown.matchAll(/<([\da-f]+)>/g)].flatMap(([, codes = ""]) =>
      (codes.match(/.{4}/g) ?? []).map((code) => Number.parseInt(code, 16))
    )
    const kerned = [...shown.matchAll(/> (-?[\d.]+)/g)].reduce((sum, [, by]) => sum + Number(by), 0)
    const wide = glyphs.reduce((sum, glyph) => sum + (widths[glyph] ?? 0), 0)
    const [a, b, , , x, y] = this.text
    this.lines.push({
      text: glyphs.map((glyph) => letters[glyph]).join(""),
      x,
      y,
      size: this.size,
      width: ((wide - kerned) / 1000) * this.size,
      upright: a === 1 && b === 0
    })
  }
}

/** Decodes the QR code that the squares form. */
const scan = (squares: ReadonlyArray<Square>): string | null => {
  const [first] = squares
  if (first === undefined) return null
  const [pixels, quiet] = [4, 4]
  const [left, top] = [Math.min(...squares.map(({ x }) => x)), Math.min(...squares.map(({ y }) => y))]
  // The code is drawn as an image, because the decoder reads images.
  const place = ({ x, y }: Square) => [(x - left) / first.side, (y - top) / first.side].map(Math.round)
  const dark = new Set(squares.map((square) => place(square).join()))
  const side = Math.max(...squares.flatMap(place)) + 1 + 2 * quiet
  const length = side * pixels
  const data = Uint8Array.from({ length: length * length * 4 }, (_, index) => {
    const pixel = index >> 2
    const [column, row] = [pixel % length, Math.floor(pixel / length)].map((at) => Math.floor(at / pixels) - quiet)
    return index % 4 !== 3 && dark.has(`${column},${row}`) ? 0 : 255
  })
  return decodeQR({ width: length, height: length, data }, { timeLimit: 10_000 })
}

/** Reads the texts and the QR code of a PDF made by Saldo. */
export const readPdf = (pdf: Uint8Array) => {
  const source = inflated(pdf)
  const objects = new Map(
    [...source.matchAll(/^(\d+) 0 obj\n(.*?)\nendobj/gms)].map(([, id = "", body = ""]) => [id, body] as const)
  )
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\b(?!s)/.test(body))
  const [, low, width, high] = /\/MediaBox \[0 ([\d.]+) ([\d.]+) ([\d.]+)\]/.exec(source) ?? []
  const reader = new Reader(fontsOf(objects))
  for (const page of pages) reader.read(objects.get(/\/Contents (\d+)/.exec(page)?.[1] ?? "") ?? "")
  return {
    source,
    pages: pages.length,
    width: Number(width),
    height: Number(high) - Number(low),
    lines: reader.lines,
    /** The dark modules of the code, counted from the upper left corner. */
    squares: reader.squares,
    code: scan(reader.squares)
  }
}
