import encodeQR from "qr"

/** As much of a PDF document as a QR code needs. */
interface Canvas {
  rect(x: number, y: number, width: number, height: number): unknown
  fill(): unknown
}

interface Square {
  readonly x: number
  readonly y: number
  readonly side: number
}

/** The white that a reader expects around a code, in modules. */
const quiet = 4

/** Draws a QR code of the text as squares, sharp at every resolution. The square includes the white around it. */
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
