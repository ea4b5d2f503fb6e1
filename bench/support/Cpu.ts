import { existsSync, readdirSync, readFileSync } from "node:fs"

/** The kernel counts in hundredths of a second. */
const tick_us = 10_000

/** What the kernel says of a process, from its state on; null on systems that do not tell, and once it has ended. */
const statOf = (pid: number | string): ReadonlyArray<string> | null => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return null
  try {
    // The name of the program, in brackets, may hold anything; what follows it is numbers.
    return (/^.*\) (.*)$/s.exec(readFileSync(file, "utf8"))?.[1] ?? "").split(" ")
  } catch {
    return null
  }
}

const sum_us = (stat: ReadonlyArray<string>, ...fields: ReadonlyArray<number>): number =>
  fields.reduce((sum, field) => sum + Number(stat[field]) * tick_us, 0)

/** The processor time that a process has taken so far; null on systems that do not tell. */
export const spent_us = (pid: number): number | null => {
  const stat = statOf(pid)
  return stat === null ? null : sum_us(stat, 11, 12)
}

/** The same of a process and all its children, those that have ended too. */
export const familySpent_us = (pid: number): number | null => {
  const own = statOf(pid)
  if (own === null) return null
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return children.reduce(
    (sum, child) => {
      const stat = statOf(child)
      return stat?.[1] === String(pid) ? sum + sum_us(stat, 11, 12) : sum
    },
    sum_us(own, 11, 12, 13, 14)
  )
}
