/**
 * One process of a replica, from its start to its death. Its memory is in its fibers and services. After its death,
 * none of its fibers runs again, and no finalizer runs, as after `kill -9`.
 */
export interface Incarnation {
  /** The replica and the number of its process: `A1`, `B3`. */
  readonly name: string
  dead: boolean
  /** Events that became ready while the process was paused. Null while it runs. */
  held: Array<ScheduledEvent> | null
  /** Error of its wall clock: its time minus the true time. */
  offset_ms: number
}

/** An event at a time. It belongs to a process, or to the outside when `incarnation` is null. */
export interface ScheduledEvent {
  readonly at_ms: number
  /** Order of scheduling. Of two events due at the same time, the lower number leaves the heap first. */
  readonly order: number
  readonly incarnation: Incarnation | null
  readonly run: () => void
  cancelled: boolean
}
