import { Context } from "effect"
import { type Actor, serverActor } from "../domain/Operator.ts"

/**
 * The operator that runs a workflow. The console provides it for each request, and the command line for each command.
 * By default the actor is the service itself.
 */
export const CurrentActor = Context.Reference<Actor>("saldo/core/CurrentActor", { defaultValue: () => serverActor })
