import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"
import { program } from "../process/Child.ts"
import { type Plan, SupplierOrder, Told } from "../supplier/Plan.ts"

const main = fileURLToPath(new URL("../supplier/main.ts", import.meta.url))

/** The provider and the insurer of a run, as it directs them. */
export interface Suppliers {
  readonly providerUrl: string
  readonly insurerUrl: string
  readonly play: (plans: ReadonlyArray<Plan>) => Effect.Effect<void>
  readonly behave: Effect.Effect<void>
  /** What they really did. */
  readonly truth: Effect.Effect<Told>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Ends them; answers whether every request was one that they understand. */
  readonly dismiss: Effect.Effect<boolean>
}

/** Starts the suppliers, which log to the directory. */
export const startSuppliers = Effect.fnUntraced(function* (
  directory: string,
  environment: Readonly<Record<string, string>>
) {
  const child = yield* program({ file: main, environment, log: join(directory, "suppliers.log") })
  const [providerUrl = "", insurerUrl = ""] = (yield* child.lineAfter("ready at ")).split(" ")
  const ask = (order: SupplierOrder) => Effect.andThen(child.tell(order), Effect.orDie(child.line))
  return {
    providerUrl,
    insurerUrl,
    play: (plans) => Effect.asVoid(ask(SupplierOrder.cases.Play.make({ plans }))),
    behave: Effect.asVoid(ask(SupplierOrder.cases.Behave.make({}))),
    truth: Effect.flatMap(ask(SupplierOrder.cases.Tell.make({})), (line) =>
      Effect.orDie(Schema.decodeEffect(Schema.fromJsonString(Told))(line))
    ),
    signal: child.signal,
    dismiss: Effect.andThen(
      child.dismiss,
      Effect.map(child.ended, (code) => code === 0)
    )
  } satisfies Suppliers
})
