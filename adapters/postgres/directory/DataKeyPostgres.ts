import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { Aead, KeyWrap, SecureRandom } from "effect/crypto"
import { DataKey } from "../../crypto/VaultAead.ts"
import { instant, tableExists } from "../connection/Sql.ts"

/** Personal data cannot be read or written. The message states the problem and the remedy in one line. */
class DataKeyUnavailable extends Schema.TaggedError<DataKeyUnavailable>()("DataKeyUnavailable", {
  message: Schema.String
}) {}

/** The operator's key, 32 bytes. Null if none is configured. */
export type OperatorKey = Redacted.Redacted<Uint8Array> | null

/** The stored data key: encrypted under the operator's key, or plain. */
interface DataKeyRow {
  readonly wrapped: Uint8Array
  readonly protected: boolean
}

const wrappingKey = (operatorKey: Redacted.Redacted<Uint8Array>) =>
  KeyWrap.key(KeyWrap.aes256Kw, Redacted.value(operatorKey))

const wrap = Effect.fnUntraced(function* (bytes: Uint8Array, operatorKey: Redacted.Redacted<Uint8Array>) {
  const keyWrap = yield* KeyWrap.KeyWrap
  return yield* keyWrap.wrap(yield* wrappingKey(operatorKey), yield* Aead.key(Aead.aes256Gcm, bytes))
}, Effect.orDie)

const unwrap = Effect.fnUntraced(function* (row: DataKeyRow, operatorKey: OperatorKey) {
  if (!row.protected) return row.wrapped
  if (operatorKey === null) {
    return yield* new DataKeyUnavailable({
      message:
        "DATA_KEY is not set, but the personal data in this database is encrypted with it: set it to its earlier value"
    })
  }
  const keyWrap = yield* KeyWrap.KeyWrap
  return yield* Effect.orDie(wrappingKey(operatorKey)).pipe(
    Effect.flatMap((key) => keyWrap.unwrap(key, Aead.aes256Gcm, row.wrapped)),
    Effect.flatMap(Aead.toBytes),
    Effect.catchReason("CryptoError", "DecryptionFailed", () =>
      Effect.fail(
        new DataKeyUnavailable({
          message:
            "DATA_KEY is not the key that encrypts the personal data in this database: set it to its earlier value"
        })
      )
    ),
    Effect.catchTag("CryptoError", Effect.die)
  )
})

const stored = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<DataKeyRow>`select wrapped, protected from directory.data_key`
  return row
}).pipe(Effect.orDie)

// If several processes start at the same time, the key of the first process is stored, and all processes use it.
const create = Effect.fnUntraced(function* (operatorKey: OperatorKey) {
  const sql = yield* PgClient.PgClient
  const random = yield* SecureRandom.SecureRandom
  const bytes = yield* random.randomBytes(Aead.aes256Gcm.keyLength)
  const wrapped = operatorKey === null ? bytes : yield* wrap(bytes, operatorKey)
  yield* sql`
    insert into directory.data_key (id, wrapped, protected, created_at)
    values (1, ${wrapped}, ${operatorKey !== null}, ${instant(yield* DateTime.now)})
    on conflict do nothing`
}, Effect.orDie)

// Encrypts the stored data key, without changing it: existing data stays readable. Another process may have been first
// with a different operator key, so the caller reads the row again.
const protect = Effect.fnUntraced(function* ({ wrapped }: DataKeyRow, operatorKey: Redacted.Redacted<Uint8Array>) {
  const sql = yield* PgClient.PgClient
  yield* sql`
    update directory.data_key
    set wrapped = ${yield* wrap(wrapped, operatorKey)}, protected = true
    where not protected`
}, Effect.orDie)

const settle = Effect.fnUntraced(function* (operatorKey: OperatorKey) {
  if ((yield* stored) === undefined) yield* create(operatorKey)
  const row = yield* stored
  if (row !== undefined && !row.protected && operatorKey !== null) yield* protect(row, operatorKey)
  const settled = yield* stored
  if (settled === undefined) return yield* Effect.die(new Error("the data key was deleted while this process started"))
  return DataKey.of({ bytes: Redacted.make(yield* unwrap(settled, operatorKey)), protected: settled.protected })
})

/**
 * The database's data key, created at the first start. Without an operator key it is stored in plain form. The first
 * start with an operator key encrypts it. After that, no process can start without the operator key.
 */
export const layer = (operatorKey: OperatorKey) => Layer.effect(DataKey, settle(operatorKey))

/** Reports how the data key would be stored after a start with this operator key. Changes nothing. */
export const inspect = Effect.fnUntraced(function* (operatorKey: OperatorKey) {
  const sql = yield* PgClient.PgClient
  const row = (yield* Effect.orDie(tableExists(sql, "directory.data_key"))) ? yield* stored : undefined
  if (row === undefined) return operatorKey === null ? "plain" : "protected"
  yield* unwrap(row, operatorKey)
  return row.protected || operatorKey !== null ? "protected" : "plain"
})
