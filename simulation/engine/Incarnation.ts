/**
 * One life of a process, from its start to its death. What it remembers is in its fibers and its services; when it dies
 * they are never run again, without so much as a finalizer: that is what `kill -9` leaves.
 */
export interface Incarnation {
  /** Its replica and which life of it this is: `A1`, `B3`. */
  readonly name: string
  dead: boolean
  /** What has become ready while the process was paused; null while it runs. */
  held: Array<ScheduledEvent> | null
  /** How far its clock on the wall is from the true time. */
  offset_ms: number
}

/** Something that is to happen, in a life of a process or outside of all. */
export interface ScheduledEvent {
  readonly at_ms: number
  /** Of two that are due at once, which was asked for first. */
  readonly order: number
  readonly incarnation: Incarnation | null
  readonly run: () => void
  cancelled: boolean
}
