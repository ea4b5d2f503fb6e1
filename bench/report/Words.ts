import { type Figure, type Goal, isMet } from "../support/Figures.ts"

/** Three digits that matter, or all of a large number. */
export const number = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)))

export const amount = (value: number | null, unit: string): string =>
  value === null ? "" : `${number(value)}${unit.startsWith("/") ? unit : ` ${unit}`}`

export const ratioOf = ({ ratio }: Figure): string => (ratio === null ? "" : `${number(ratio)}x`)

const goalWords = ({ is, value }: Goal, { ratio, unit }: Figure): string =>
  `${is} ${ratio === null ? amount(value, unit) : `${number(value)}x`}`

export const goalOf = (figure: Figure): string => (figure.goal === null ? "" : goalWords(figure.goal, figure))

export const verdictOf = (figure: Figure): string => {
  const met = isMet(figure)
  return met === null ? "" : met ? "met" : "MISSED"
}
