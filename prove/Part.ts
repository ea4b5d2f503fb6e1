/** What is to be run. */
export interface Plan {
  /** What chance there is follows from it. */
  readonly seed: number
  /** How much of the long form: 1 is all of it. */
  readonly share: number
}

/** A bug that was planted, and what caught it. */
export interface Caught {
  readonly bug: string
  readonly on: string
  readonly seed: number
  readonly law: string
}

/** What a command says that it has done. */
export interface Reading {
  readonly counts: string
  /** Of planted bugs alone. */
  readonly caught?: ReadonlyArray<Caught>
  /** The same run again has the same digest; null where a run is not the same to the letter. */
  readonly digest: string | null
  /** What did not hold; null when everything did. */
  readonly broken: string | null
  /** The command that shows it once more; null when it is the same one. */
  readonly again: string | null
}

/** A part of the proof: a command that anybody can run by itself. */
export interface Part {
  /** The script of package.json. */
  readonly script: "simulate" | "test" | "crash" | "fuzz"
  readonly args: (plan: Plan) => ReadonlyArray<string>
  /** What makes it print one JSON document. */
  readonly asJson: string
  /** How long all of it takes on two cores. */
  readonly planned_s: number
  /** How long its shortest form takes. */
  readonly least_s: number
  /** Understands the document; null if it is none. */
  readonly read: (document: string) => Reading | null
}
