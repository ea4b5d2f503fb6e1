import encodeQR from "qr"

/** The methods of a PDF document that drawing a QR code needs. */
interface Canvas {
  rect(x: number, y: number, width: number, height: number): unknown
  fill(): unknown
}

interface Square {
  readonly x: number
  readonly y: number
  readonly side: number
}

/** The white margin that readers require around a code, in modules. */
const quiet = 4

/**
 * Draws a text as a QR code made of vector squares, sharp at every resolution. The given square includes the white
 * margin.
 */
export const drawQr = (canvas: Canvas, text: string, { side, x, y }: Square): void => {
  const modules = encodeQR(text, "raw", { ecc: "medium", border: quiet })
  const module = side / modules.length
  for (const [row, bits] of modules.entries()) {
    for (const [column, dark] of bits.entries()) {
      if (dark) canvas.rect(x + column * module, y + row * module, module, module)
    }
  }
  canvas.fill()
}
