import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { Aead, KeyWrap, SecureRandom } from "effect/crypto"
import { DataKey } from "../crypto/DataKey.ts"
import { instant } from "./Parameters.ts"
import { tableExists } from "./Tables.ts"

/** Personal data cannot be read or written. The message says what is wrong and what to do, in one line. */
class DataKeyUnavailable extends Schema.TaggedError<DataKeyUnavailable>()("DataKeyUnavailable", {
  message: Schema.String
}) {}

/** The operator's own key, 32 bytes; null when there is none. */
export type OperatorKey = Redacted.Redacted<Uint8Array> | null

/** The data key as the database has it: encrypted by the operator's key, or plain. */
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
        "DATA_KEY is absent, and the personal data in this database is encrypted by it: set it as it was set before"
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
            "DATA_KEY is not the key by which the personal data in this database is encrypted: set it as it was set before"
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

// Of processes that start at once the first one makes the key, and all of them go on with that.
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

// The key itself stays, so that what it has encrypted can still be read. Another process may have been faster, with
// another key of the operator: whose key counts is read afterwards.
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
 * The database's own key, made at its first start. Without the operator's key it stands beside what it encrypts; as
 * soon as there is one it is kept encrypted by that, and nobody starts without it any more.
 */
export const layer = (operatorKey: OperatorKey) => Layer.effect(DataKey, settle(operatorKey))

/** How the key is kept, as a start with this operator's key would find it; changes nothing. */
export const inspect = Effect.fnUntraced(function* (operatorKey: OperatorKey) {
  const sql = yield* PgClient.PgClient
  const row = (yield* Effect.orDie(tableExists(sql, "directory.data_key"))) ? yield* stored : undefined
  if (row === undefined) return operatorKey === null ? "plain" : "protected"
  yield* unwrap(row, operatorKey)
  return row.protected || operatorKey !== null ? "protected" : "plain"
})
