import { Predicate, Schedule, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { codedError, codeOf } from "../../../core/domain/ErrorCatalogue.ts"
import { DatabaseUnavailable } from "./Database.ts"

// SQLSTATEs of a server that is stopping, is starting or has no free connection. The driver does not mark them as
// retryable.
const serverGone = new Set(["57P01", "57P02", "57P03", "53300"])

/** Whether the statement waited for a lock longer than its transaction allows. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === "55P03"

/**
 * Whether a failed statement may be retried: the connection was lost, the server is restarting, or the transaction lost a
 * conflict. The first attempt may have committed. So only retry a statement that recognizes its own commit, or that does no
 * harm when it commits twice. A lock timeout is not retried, because the callers have already waited long enough.
 */
export const isTransient = (error: SqlError): boolean =>
  (error.isRetryable && !isLockTimeout(error.reason.cause)) || serverGone.has(String(codeOf(error.reason.cause)))

// SQLSTATEs of missing resources such as disk space, of disk faults, of damaged data and of a read-only
// database. XX000 is left out, because a function may fail with it while an upgrade replaces its types.
const storageStates = /^(?:53|58|XX00[12]$)|^25006$/

/**
 * Whether the database cannot store data at all, for example because its disk is full. Any other write would fail too.
 */
export const cannotStore = (error: SqlError): boolean =>
  !isTransient(error) && storageStates.test(String(codeOf(error.reason.cause)))

/** The statements of a cell take longer than their callers wait. These statements may still commit. */
export class CellLate extends Schema.TaggedError<CellLate>()("CellLate", { message: Schema.String }) {}

/** Whether a call failed because its cell does not answer in time. The rest of its server may answer. */
export const isLate = (error: unknown): boolean => error instanceof CellLate || isLockTimeout(error)

/** Whether the database refused the statement because the login lacks the right. */
export const isForbidden = (error: unknown): boolean => codeOf(error) === "42501"

// Codes of failed attempts to connect: no route, no server, a server that starts or refuses connections.
const unreachable = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "55000",
  "57P03"
])

/** Whether an operation on an open connection failed. Its statement may have been sent, even if the network is gone now. */
const isOfOpenConnection = (error: object): boolean =>
  Predicate.hasProperty(error, "syscall") && (error.syscall === "read" || error.syscall === "write")

/** Whether the statement was not sent, because its server could not be reached. */
export const isUnreachable = (error: unknown): boolean => {
  if (error instanceof DatabaseUnavailable) return true
  if (isSqlError(error) && error.reason._tag === "ConnectionError" && error.reason.operation === "connect") return true
  const coded = codedError(Predicate.hasProperty(error, "reason") ? error.reason : error)
  return coded !== null && unreachable.has(String(coded.code)) && !isOfOpenConnection(coded)
}

/** Whether the server could not be reached, or was lost during the statement. The statement may have committed. */
export const isLost = (error: unknown): boolean =>
  isUnreachable(error) ||
  (isSqlError(error) && (error.reason._tag === "ConnectionError" || serverGone.has(String(codeOf(error.reason.cause)))))

/** The messages of an error and of its causes. */
export const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${wordsOf(error.cause)}`
}

/** Six retries within 1.6 s, about as long as a caller can wait for a restarting database. */
export const transientRetry = Schedule.max([Schedule.exponential("25 millis"), Schedule.recurs(6)]).pipe(
  Schedule.setInputType<SqlError>(),
  Schedule.while(({ input }) => isTransient(input))
)
