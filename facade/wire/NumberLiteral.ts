/**
 * A JSON number as it was written, where JavaScript would write it otherwise: 1.10, 1e2, 10.0000000000000001. A reader
 * that cares for the digits finds them here; any other sees that it is no plain number.
 */
export class NumberLiteral {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
