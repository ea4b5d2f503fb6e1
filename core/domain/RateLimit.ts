/** Calls are counted a minute of the clock, so that every replica agrees on when a window ends. Contract: 8. */
export const window_s = 60

/** One minute of the clock. */
export interface Window {
  readonly number: number
  readonly endsAt_s: number
  readonly endsIn_s: number
}

/** The window that an instant falls in; it ends in one second at least. */
export const windowAt = (now_ms: number): Window => {
  const number = Math.floor(now_ms / (window_s * 1000))
  const endsAt_s = (number + 1) * window_s
  return { number, endsAt_s, endsIn_s: Math.ceil(endsAt_s - now_ms / 1000) }
}

/** Whose calls are counted together, and how many of them a window has. */
export interface Bucket {
  readonly key: string
  readonly limit: number
}

/** What a caller has left. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly window: Window
}
