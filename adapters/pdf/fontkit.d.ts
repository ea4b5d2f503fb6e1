// Types of the parts of fontkit that choosing a font needs. pdfkit reads the fonts with the same library.
declare module "fontkit" {
  interface Font {
    /** How far the font reaches above the baseline, in units of the font. */
    readonly ascent: number
    readonly unitsPerEm: number
    hasGlyphForCodePoint(codePoint: number): boolean
  }
  function create(bytes: Uint8Array): Font
}
