/** What a help says of its command's flags. */
interface Told {
  readonly required: ReadonlyArray<string>
  readonly defaults: Readonly<Record<string, string>>
  /** Flags that take a value, of which it says neither. */
  readonly untold: ReadonlyArray<string>
}

const flag = /^ {2}--(?<name>\S+)(?: (?<type>\S+))? {4,}(?<text>.*)$/

/** Reads the flags of a help, without those that every command has. */
export const flagsOf = (help: string): Told => {
  const section = /\nFLAGS\n(?<lines>[\s\S]*?)\n\n/.exec(help)?.groups?.["lines"] ?? ""
  const required: Array<string> = []
  const defaults: Record<string, string> = {}
  const untold: Array<string> = []
  for (const line of section.split("\n").filter((line) => line !== "")) {
    const { name = line, text = "", type } = flag.exec(line)?.groups ?? {}
    const fallback = /\(default: (?<fallback>[^)]*)\)/.exec(text)?.groups?.["fallback"]
    if (text.endsWith("(required)")) required.push(name)
    else if (fallback !== undefined) defaults[name] = fallback
    else if (type !== undefined || text === "") untold.push(name)
  }
  return { required, defaults, untold }
}
