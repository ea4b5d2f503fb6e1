/** Something that was looked at, and how it is. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** A check that found nothing wrong. */
export const fine = (name: string, detail: string): Check => ({ name, ok: true, detail })

/** A check that did, and what to do about it. */
export const wrong = (name: string, detail: string): Check => ({ name, ok: false, detail })
