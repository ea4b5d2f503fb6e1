import { type Box, writeIn } from "./Box.ts"
import type { Document } from "./Document.ts"

/** Whether the simulator issued this authorization or policy. Then it is not valid in production. Contract: 2.5. */
export const isTest = (authCode: string): boolean => authCode.startsWith("SBX")

export const testWords = "SIN VALIDEZ — PRUEBA"

/** Draws a dark band that marks a test document. */
export const drawTestBand = (document: Document, box: Box, words = testWords): void => {
  document.rect(box.x, box.y, box.width, box.height).fill("#a4161a")
  document.fillColor("white")
  writeIn(document, { ...box, x: box.x + 8, width: box.width - 16 }, words, {
    font: "bold",
    size: 0.62 * box.height,
    align: "center",
    middle: true
  })
  document.fillColor("black")
}

/** Draws large pale letters across the page, behind the text. A band at the edge could be cut off. */
export const drawTestBackground = (document: Document, { height, width, x, y }: Box): void => {
  const diagonal = Math.hypot(width, height)
  const [middle, centre] = [x + width / 2, y + height / 2]
  const line = { x: middle - diagonal / 2, y: centre - diagonal / 10, width: diagonal, height: diagonal / 5 }
  document.save().rotate((-Math.atan(height / width) * 180) / Math.PI, { origin: [middle, centre] })
  document.fillColor("#f3d9da")
  writeIn(document, line, testWords, { font: "bold", size: diagonal / 14, align: "center", middle: true })
  document.restore()
  document.fillColor("black")
}
