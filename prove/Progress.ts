import { inWords } from "../tools/Progress.ts"

/** Until so much was planned and done, what was planned counts for more than how it goes. */
const prior_s = 30

/** Where a run of parts stands. */
export interface Standing {
  readonly planned_s: ReadonlyArray<number>
  /** Which part is under way. */
  readonly part: number
  /** How much of that is done. */
  readonly share: number
  readonly elapsed_s: number
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/** How far all of it is, and how long the rest takes at the pace so far. */
export const overall = ({ elapsed_s, part, planned_s, share }: Standing) => {
  const total_s = sum(planned_s)
  const done_s = sum(planned_s.slice(0, part)) + share * (planned_s[part] ?? 0)
  const pace = (elapsed_s + prior_s) / (done_s + prior_s)
  return { percent: Math.min(99, Math.floor((100 * done_s) / total_s)), left_s: (total_s - done_s) * pace }
}

/** How much of a part is done, by what its command says of itself: `12 %  …`; null for any other line. */
export const shareSaid = (line: string): number | null => {
  const percent = /^\s*(\d{1,3}) %/.exec(line)?.[1]
  return percent === undefined ? null : Number(percent) / 100
}

/** What a command says, and how far all of it is. */
export const progressLine = (standing: Standing, name: string, said: string): string => {
  const { left_s, percent } = overall(standing)
  return `${String(percent).padStart(3)} % of all, about ${inWords(left_s)} left | ${name}: ${said.trim()}`
}
