import type { Exchange } from "../../http/Exchange.ts"
import { faultsIn } from "./Faults.ts"

/** What can be said of an exchange without saying whom it is about. */
export const logFacts = (exchange: Exchange) =>
  exchange._tag === "Answered"
    ? { answer: exchange._tag, status: exchange.status, errors: faultsIn(exchange.body) }
    : { answer: exchange._tag, error: exchange.error.message }
