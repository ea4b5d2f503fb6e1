import { Predicate } from "effect"
import { keyHeader } from "../../facade/rest/KeyHeader.ts"
import { keyField } from "../../facade/wire/Input.ts"
import type { Answered } from "../../tools/api/Answered.ts"
import { type Literal, literal } from "../document/Literal.ts"
import { type Filled, valueOf } from "../request/Filled.ts"
import type { HttpRequest } from "../request/HttpRequest.ts"

/** What a later request may be about. */
export type Kind = "service" | "option" | "sale" | "insurance"

/** Something that an answer told: what inputs of these names would take for it, null for those that it does without. */
export interface Fact {
  /** Of what it can be told apart from others of its kind. */
  readonly name: string
  readonly values: Readonly<Record<string, Literal | null>>
}

/** What earlier answers told, the newest last. */
export interface Memory {
  readonly facts: Readonly<Record<Kind, ReadonlyArray<Fact>>>
  /** By where they were told. */
  readonly etags: Readonly<Record<string, string>>
}

export const nothingKnown: Memory = { facts: { service: [], option: [], sale: [], insurance: [] }, etags: {} }

const kept_max = 200

/** Remembers a fact, with what was known of the same thing before. */
const remember = (memory: Memory, kind: Kind, { name, values }: Fact): Memory => {
  const known = memory.facts[kind]
  const before = known.find((fact) => fact.name === name)
  const others = known.filter((fact) => fact !== before)
  const fact = { name, values: { ...before?.values, ...values } }
  return { ...memory, facts: { ...memory.facts, [kind]: [...others, fact].slice(-kept_max) } }
}

type Told = Readonly<Record<string, unknown>>

const listIn = (told: unknown): ReadonlyArray<Told> => (Array.isArray(told) ? told.filter(Predicate.isObject) : [])

const sent = (filled: Filled): Fact["values"] => Object.fromEntries(filled.values)

const learnServices = (memory: Memory, told: unknown): Memory =>
  listIn(told).reduce<Memory>((now, { acepta_anulacion, categoria, flujo, id, nombre }) => {
    const values = {
      id: literal(id),
      service_id: literal(id),
      categoria: literal(categoria),
      q: literal(nombre),
      flujo: literal(flujo),
      acepta_anulacion: literal(acepta_anulacion),
      opcion_id: null
    }
    return remember(now, "service", { name: String(id), values })
  }, memory)

const learnOptions = (memory: Memory, filled: Filled, { opciones }: Told): Memory =>
  listIn(opciones).reduce<Memory>((now, { opcion_id }) => {
    const values = { ...sent(filled), opcion_id: literal(opcion_id), amount: null }
    return remember(now, "option", { name: String(opcion_id), values })
  }, memory)

const learnSale = (memory: Memory, filled: Filled, { transaction_id, xid }: Told): Memory => {
  const key = valueOf(filled, keyHeader) ?? null
  const values = { ...sent(filled), id: literal(transaction_id), xid: literal(xid), [keyField]: key }
  return remember(memory, "sale", { name: String(transaction_id), values })
}

const insuranceNamed = (filled: Filled): string => String(valueOf(filled, "id"))

const learnInsurance = (memory: Memory, filled: Filled, { placa, seguro_id }: Told): Memory => {
  const values = {
    ...sent(filled),
    id: literal(seguro_id),
    identifier: literal(placa),
    opcion_id: literal(`seguro:${seguro_id}`),
    amount: null
  }
  return remember(memory, "insurance", { name: String(seguro_id), values })
}

const learnChoice = (memory: Memory, filled: Filled, field: string, offered: ReadonlyArray<unknown>): Memory => {
  const chosen = offered.at(-1)
  const values = { [field]: literal(chosen) }
  return chosen === undefined ? memory : remember(memory, "insurance", { name: insuranceNamed(filled), values })
}

/** What an operation that went well told. */
const learnFrom = (memory: Memory, filled: Filled, told: Told): Memory => {
  switch (filled.operation.name) {
    case "catalogoServicios":
      return learnServices(memory, told)
    case "consultasCrear":
      return learnOptions(memory, filled, told)
    case "recargasCrear":
      return learnSale(memory, filled, told)
    case "segurosIniciar":
      return learnInsurance(memory, filled, told)
    case "segurosVerificar":
      return learnChoice(
        memory,
        filled,
        "version",
        listIn(told["versiones"]).map(({ id }) => id)
      )
    case "segurosPlanes":
      return learnChoice(
        memory,
        filled,
        "cd_tipo_plan",
        listIn(told["planes"]).map(({ cd_tipo_plan }) => cd_tipo_plan)
      )
    default:
      return memory
  }
}

const learnEtag = (memory: Memory, { query, path }: HttpRequest, { headers }: Answered): Memory => {
  const etag = headers.get("etag")
  // There is no end of queries, so they have none.
  return etag === null || query.length > 0 ? memory : { ...memory, etags: { ...memory.etags, [path]: etag } }
}

/**
 * What an answer of REST told, of a call that was made as it was filled. A sale whose outcome is unknown is one too.
 */
export const learn = (memory: Memory, filled: Filled, request: HttpRequest, answer: Answered): Memory => {
  const { body, status } = answer
  const now = learnEtag(memory, request, answer)
  const told: unknown = status === 202 ? body?.error?.details : status < 300 ? body?.data : undefined
  return Predicate.isObjectOrArray(told) ? learnFrom(now, filled, told as Told) : now
}
