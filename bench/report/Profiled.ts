import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { flameOf } from "./Flame.ts"
import { ownShares, readProfile } from "./Profile.ts"

const shares_max = 20

/** Draws the latest profile of a directory beside it, and tells in lines of text who spent the most himself. */
export const drawProfile = (directory: string): string => {
  const latest = readdirSync(directory)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => join(directory, name))
    .toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0]
  if (latest === undefined) return "The server left no profile."
  const all = readProfile(readFileSync(latest, "utf8"))
  const drawing = join(directory, "flame.svg")
  writeFileSync(drawing, flameOf(all))
  const lines = ownShares(all)
    .slice(0, shares_max)
    .map(([name, share]) => `${(100 * share).toFixed(1).padStart(5)} %  ${name}`)
  return [`Where the server spent its time, drawn in ${drawing}:`, ...lines].join("\n")
}
