import type { Exchange } from "../../http/Exchange.ts"
import { faultsIn } from "./Faults.ts"

/** The facts of an exchange for the log, without the customer's data. */
export const logFacts = (exchange: Exchange) =>
  exchange._tag === "Answered"
    ? { answer: exchange._tag, status: exchange.status, errors: faultsIn(exchange.body) }
    : { answer: exchange._tag, error: exchange.error.message }
