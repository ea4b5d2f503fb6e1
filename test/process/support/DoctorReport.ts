import { Effect } from "effect"
import type { Level } from "../../../facade/cli/checks/Check.ts"
import { commandLineOn } from "../../support/CommandLine.ts"

/** The document of `saldo doctor --json`. */
export interface DoctorReport {
  readonly ok: boolean
  readonly nivel: Level
  readonly comprobaciones: ReadonlyArray<{
    readonly nombre: string
    readonly ok: boolean
    readonly nivel: Level
    readonly detalle: string
  }>
}

/** The results of the doctor. `durability` is left out, because the test server always runs without fsync. */
export const resultsOn = Effect.fnUntraced(function* (url: string, environment: Readonly<Record<string, string>>) {
  const { stdout } = yield* commandLineOn(url, environment).run("doctor", "--json")
  const { comprobaciones }: DoctorReport = JSON.parse(stdout)
  return comprobaciones.filter(({ nombre }) => nombre !== "durability")
})

/** The names of the checks with this level. */
export const namesAt = (level: Level, results: DoctorReport["comprobaciones"]) =>
  results.flatMap(({ nivel, nombre }) => (nivel === level ? [nombre] : []))
