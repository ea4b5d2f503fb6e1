import { Predicate } from "effect"
import { keyField, keyHeader } from "../../../facade/api/Input.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import type { HttpRequest } from "../request/HttpRequest.ts"
import { type JsonLiteral, jsonLiteral } from "../request/Literal.ts"
import { inputValueOf, type OperationCall } from "../request/OperationCall.ts"

/** What a later request may be about. */
export type FactKind = "service" | "option" | "sale" | "insurance"

/** Something that an answer told: what inputs of these names would take for it, null for those that it does without. */
export interface Fact {
  /** Of what it can be told apart from others of its kind. */
  readonly name: string
  readonly values: Readonly<Record<string, JsonLiteral | null>>
}

/** What earlier answers told, the newest last. */
export interface KnownFacts {
  readonly facts: Readonly<Record<FactKind, ReadonlyArray<Fact>>>
  /** By where they were told. */
  readonly etags: Readonly<Record<string, string>>
}

export const noFacts: KnownFacts = { facts: { service: [], option: [], sale: [], insurance: [] }, etags: {} }

const kept_max = 200

/** Remembers a fact, with what was known of the same thing before. */
const remember = (memory: KnownFacts, kind: FactKind, { name, values }: Fact): KnownFacts => {
  const known = memory.facts[kind]
  const before = known.find((fact) => fact.name === name)
  const others = known.filter((fact) => fact !== before)
  const fact = { name, values: { ...before?.values, ...values } }
  return { ...memory, facts: { ...memory.facts, [kind]: [...others, fact].slice(-kept_max) } }
}

type JsonObject = Readonly<Record<string, unknown>>

const listIn = (told: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(told) ? told.filter(Predicate.isObject) : []

const inputsOf = (filled: OperationCall): Fact["values"] => Object.fromEntries(filled.values)

const learnServices = (memory: KnownFacts, told: unknown): KnownFacts =>
  listIn(told).reduce<KnownFacts>((now, { acepta_anulacion, categoria, flujo, id, nombre }) => {
    const values = {
      id: jsonLiteral(id),
      service_id: jsonLiteral(id),
      categoria: jsonLiteral(categoria),
      q: jsonLiteral(nombre),
      flujo: jsonLiteral(flujo),
      acepta_anulacion: jsonLiteral(acepta_anulacion),
      opcion_id: null
    }
    return remember(now, "service", { name: String(id), values })
  }, memory)

const learnOptions = (memory: KnownFacts, filled: OperationCall, { opciones }: JsonObject): KnownFacts =>
  listIn(opciones).reduce<KnownFacts>((now, { opcion_id }) => {
    const values = { ...inputsOf(filled), opcion_id: jsonLiteral(opcion_id), amount: null }
    return remember(now, "option", { name: String(opcion_id), values })
  }, memory)

const learnSale = (memory: KnownFacts, filled: OperationCall, { transaction_id, xid }: JsonObject): KnownFacts => {
  const key = inputValueOf(filled, keyHeader) ?? null
  const values = { ...inputsOf(filled), id: jsonLiteral(transaction_id), xid: jsonLiteral(xid), [keyField]: key }
  return remember(memory, "sale", { name: String(transaction_id), values })
}

const insuranceNamed = (filled: OperationCall): string => String(inputValueOf(filled, "id"))

const learnInsurance = (memory: KnownFacts, filled: OperationCall, { placa, seguro_id }: JsonObject): KnownFacts => {
  const values = {
    ...inputsOf(filled),
    id: jsonLiteral(seguro_id),
    identifier: jsonLiteral(placa),
    opcion_id: jsonLiteral(`seguro:${seguro_id}`),
    amount: null
  }
  return remember(memory, "insurance", { name: String(seguro_id), values })
}

const learnChoice = (
  memory: KnownFacts,
  filled: OperationCall,
  field: string,
  offered: ReadonlyArray<unknown>
): KnownFacts => {
  const chosen = offered.at(-1)
  const values = { [field]: jsonLiteral(chosen) }
  return chosen === undefined ? memory : remember(memory, "insurance", { name: insuranceNamed(filled), values })
}

/** What an operation that went well told. */
const learnFrom = (memory: KnownFacts, filled: OperationCall, told: JsonObject): KnownFacts => {
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

const learnEtag = (memory: KnownFacts, { query, path }: HttpRequest, { headers }: ApiResponse): KnownFacts => {
  const etag = headers.get("etag")
  // There is no end of queries, so they have none.
  return etag === null || query.length > 0 ? memory : { ...memory, etags: { ...memory.etags, [path]: etag } }
}

/**
 * What an answer of REST told, of a call that was made as it was filled. A sale whose outcome is unknown is one too.
 */
export const learnFromAnswer = (
  memory: KnownFacts,
  filled: OperationCall,
  request: HttpRequest,
  answer: ApiResponse
): KnownFacts => {
  const { body, status } = answer
  const now = learnEtag(memory, request, answer)
  const told: unknown = status === 202 ? body?.error?.details : status < 300 ? body?.data : undefined
  return Predicate.isObjectOrArray(told) ? learnFrom(now, filled, told as JsonObject) : now
}
