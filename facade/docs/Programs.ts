import { readFile } from "node:fs/promises"
import { Effect } from "effect"

/** A complete example program in one language. */
export interface Program {
  readonly language: string
  /** The command that starts the program. */
  readonly command: string
  readonly code: string
}

const load = (language: string, command: string, file: string) =>
  Effect.map(
    Effect.promise(() => readFile(new URL(file, import.meta.url), "utf8")),
    (code): Program => ({ language, command, code })
  )

/** Loads the programs that the page about webhooks shows. They verify signatures. The tests run the same files. */
export const loadReceivers = Effect.all([
  load("Node", "node receptor.mjs", "./programs/receptor.mjs"),
  load("Python", "python3 receptor.py", "./programs/receptor.py"),
  load("PHP", "php -S 127.0.0.1:8080 receptor.php", "./programs/receptor.php"),
  load("C#", "dotnet run", "./programs/Receptor.cs")
])

/** Loads the programs that the guide shows. They call the API. The tests run the same files, except the one in C#. */
export const loadGuidePrograms = Effect.all([
  load("curl", "sh guia.sh", "./programs/guia.sh"),
  load("JavaScript", "node guia.mjs", "./programs/guia.mjs"),
  load("Python", "python3 guia.py", "./programs/guia.py"),
  load("PHP", "php guia.php", "./programs/guia.php"),
  load("C#", "dotnet run", "./programs/Guia.cs")
])
