import type { Calls } from "./Calls.ts"
import type { CallOptions } from "./Connection.ts"
import type { WholeList } from "./Files.ts"
import type { Input, Output, Procedures } from "./Procedures.ts"
import type { Wire } from "./Wire.ts"

type Transaction = Output<"transacciones", "listar">["items"][number]
type Entry = Output<"movimientos", "listar">["items"][number]
type Closing = Output<"cierres", "listar">["items"][number]
type Event = Wire["event"]

type EventInput = Input<"eventos", "listar">

/** Filter of events: events after a sequence number (secuencia), events of one type, or both. */
type EventFilter = Omit<EventInput, "esperar" | "limite">

/** The first and the last day of closings. */
type ClosingDays = Pick<Input<"cierres", "listar">, "date_from" | "date_to">

/** Lists that read one page after the other. A page is read only when the loop needs it. */
export interface Lists {
  /** Every transaction that the filter finds, newest first. Transactions that are made meanwhile are left out. */
  transaccionesTodas(filter?: WholeList<"transacciones">, options?: CallOptions): AsyncGenerator<Transaction>
  /** Every entry of the statement that the filter finds, newest first. */
  movimientosTodos(filter?: WholeList<"movimientos">, options?: CallOptions): AsyncGenerator<Entry>
  /** Every daily closing from the first to the last day, newest first. */
  cierresTodos(days?: ClosingDays, options?: CallOptions): AsyncGenerator<Closing>
  /** Every event up to now, oldest first. */
  eventosTodos(filter?: EventFilter, options?: CallOptions): AsyncGenerator<Event>
  /** Every event, oldest first, and then each new one. Ends only when the caller leaves the loop or aborts. */
  seguirEventos(filter?: EventFilter, options?: CallOptions): AsyncGenerator<Event>
}

const items_max = 200
const events_max = 500

// How long the service waits for a new event before it responds without one.
const wait_s = 25

/**
 * Reads pages from the highest id down. Each page begins below the last id of the previous page (`hasta_id`), so no
 * item appears twice, even if items are added meanwhile. Contract: 4.7.
 */
async function* downwards<A>(
  read: (page: { readonly per_page: number; readonly hasta_id?: number }) => Promise<{ readonly items: readonly A[] }>,
  idOf: (item: A) => number
): AsyncGenerator<A> {
  let next: { readonly hasta_id?: number } = {}
  for (;;) {
    const { items } = await read({ ...next, per_page: items_max })
    yield* items
    const last = items.at(-1)
    if (last === undefined || items.length < items_max) return
    next = { hasta_id: idOf(last) - 1 }
  }
}

const day_ms = 24 * 60 * 60 * 1_000

const dayBefore = (day: string): string => new Date(Date.parse(day) - day_ms).toISOString().slice(0, 10)

export const listsOver = (
  { procedure }: Calls,
  { cierres, eventos, movimientos, transacciones }: Procedures
): Lists => ({
  transaccionesTodas: (filter, options) =>
    downwards(
      (page) => transacciones.listar.query({ ...filter, ...page }, options),
      ({ transaction_id }) => transaction_id
    ),

  movimientosTodos: (filter, options) =>
    downwards(
      (page) => movimientos.listar.query({ ...filter, ...page }, options),
      ({ movimiento_id }) => movimiento_id
    ),

  async *cierresTodos(days = {}, options) {
    let left: ClosingDays = days
    for (;;) {
      const { items } = await cierres.listar.query({ ...left, per_page: items_max }, options)
      yield* items
      const last = items.at(-1)
      if (last === undefined || items.length < items_max) return
      left = { ...left, date_to: dayBefore(last.dia) }
    }
  },

  async *eventosTodos({ despues_de = 0, ...filter } = {}, options) {
    for (let after: typeof despues_de = despues_de; ; ) {
      const page = await eventos.listar.query({ ...filter, despues_de: after, limite: events_max }, options)
      yield* page.items
      if (page.items.length < events_max) return
      after = page.siguiente
    }
  },

  async *seguirEventos({ despues_de = 0, ...filter } = {}, options) {
    const held = { ...options, held_ms: wait_s * 1_000 }
    for (let after: typeof despues_de = despues_de; ; ) {
      const wanted: EventInput = { ...filter, despues_de: after, limite: events_max, esperar: wait_s }
      const page = (await procedure("query", "eventos.listar", wanted, held)) as Output<"eventos", "listar">
      yield* page.items
      after = page.siguiente
    }
  }
})
