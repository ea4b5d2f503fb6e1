import { existsSync, readFileSync } from "node:fs"

/** The kernel counts in hundredths of a second. */
const tick_us = 10_000

/** The processor time that a process has taken so far; null on systems that do not tell. */
export const spent_us = (pid: number): number | null => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return null
  // The name of the program, in brackets, may hold anything; what follows it is numbers.
  const [, after = ""] = /^.*\) (.*)$/s.exec(readFileSync(file, "utf8")) ?? []
  const fields = after.split(" ")
  return (Number(fields[11]) + Number(fields[12])) * tick_us
}
