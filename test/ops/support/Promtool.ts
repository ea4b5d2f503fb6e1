import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const promtool = "/usr/bin/promtool"

/** Prometheus tells whether what it is given makes sense. Where its promtool is not installed, nobody can. */
export const hasPromtool = existsSync(promtool)
if (!hasPromtool) console.warn(`${promtool} is not there, so nobody tells whether the alerts call`)

/** What promtool finds wrong with a file, of YAML or JSON, which is YAML; nothing if all is well. */
export const wrongWith = async (command: ReadonlyArray<string>, text: string) => {
  const folder = mkdtempSync(join(tmpdir(), "saldo-promtool-"))
  try {
    const path = join(folder, "given.yml")
    writeFileSync(path, text)
    await promisify(execFile)(promtool, [...command, path])
    return ""
  } catch (error) {
    return error instanceof Error && "stdout" in error ? `${error.stdout}${error.message}` : String(error)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
