import { Predicate } from "effect"
import { keyField, keyHeader } from "../../../facade/api/Input.ts"
import type { ApiResponse } from "../../support/ApiDocument.ts"
import type { HttpRequest } from "../request/HttpRequest.ts"
import { type JsonLiteral, jsonLiteral } from "../request/Literal.ts"
import { inputValueOf, type OperationCall } from "../request/OperationCall.ts"

/** Kind of a fact that later requests can use. */
export type FactKind = "service" | "option" | "sale" | "insurance" | "webhook"

/** An object from a response, as values for the inputs with these names. Null means that the input is omitted. */
export interface Fact {
  /** Name that identifies the fact among the facts of its kind. */
  readonly name: string
  readonly values: Readonly<Record<string, JsonLiteral | null>>
}

/** Facts from earlier responses, the latest last. */
export interface KnownFacts {
  readonly facts: Readonly<Record<FactKind, ReadonlyArray<Fact>>>
  /** Last ETag of each path. */
  readonly etags: Readonly<Record<string, string>>
}

export const noFacts: KnownFacts = {
  facts: { service: [], option: [], sale: [], insurance: [], webhook: [] },
  etags: {}
}

const kept_max = 200

/** Adds a fact, merged with earlier values of the same object. */
const remember = (memory: KnownFacts, kind: FactKind, { name, values }: Fact): KnownFacts => {
  const known = memory.facts[kind]
  const before = known.find((fact) => fact.name === name)
  const others = known.filter((fact) => fact !== before)
  const fact = { name, values: { ...before?.values, ...values } }
  return { ...memory, facts: { ...memory.facts, [kind]: [...others, fact].slice(-kept_max) } }
}

type JsonObject = Readonly<Record<string, unknown>>

const listIn = (payload: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(payload) ? payload.filter(Predicate.isObject) : []

const inputsOf = (filled: OperationCall): Fact["values"] => Object.fromEntries(filled.values)

const learnServices = (memory: KnownFacts, payload: unknown): KnownFacts =>
  listIn(payload).reduce<KnownFacts>((now, { acepta_anulacion, categoria, flujo, id, nombre }) => {
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

/** The id in the path of a call. */
const idIn = (filled: OperationCall): string => String(inputValueOf(filled, "id"))

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

/** Learns a webhook. Before its first test event no event is known, so a replay names a span of time. */
const learnWebhook = (memory: KnownFacts, { webhook_id }: JsonObject): KnownFacts => {
  const values = { id: jsonLiteral(webhook_id), evento_id: null }
  return remember(memory, "webhook", { name: String(webhook_id), values })
}

const learnTestEvent = (memory: KnownFacts, filled: OperationCall, { evento_id }: JsonObject): KnownFacts => {
  const values = { evento_id: jsonLiteral(evento_id), desde: null }
  return remember(memory, "webhook", { name: idIn(filled), values })
}

const forgetWebhook = (memory: KnownFacts, { webhook_id }: JsonObject): KnownFacts => {
  const webhook = memory.facts.webhook.filter(({ name }) => name !== String(webhook_id))
  return { ...memory, facts: { ...memory.facts, webhook } }
}

const learnChoice = (
  memory: KnownFacts,
  filled: OperationCall,
  field: string,
  offered: ReadonlyArray<unknown>
): KnownFacts => {
  const chosen = offered.at(-1)
  const values = { [field]: jsonLiteral(chosen) }
  return chosen === undefined ? memory : remember(memory, "insurance", { name: idIn(filled), values })
}

/** Learns facts from the data of a successful operation. */
const learnFrom = (memory: KnownFacts, filled: OperationCall, payload: JsonObject): KnownFacts => {
  switch (filled.operation.name) {
    case "catalogoServicios":
      return learnServices(memory, payload)
    case "consultasCrear":
      return learnOptions(memory, filled, payload)
    case "recargasCrear":
      return learnSale(memory, filled, payload)
    case "segurosIniciar":
      return learnInsurance(memory, filled, payload)
    case "segurosVerificar":
      return learnChoice(
        memory,
        filled,
        "version",
        listIn(payload["versiones"]).map(({ id }) => id)
      )
    case "segurosPlanes":
      return learnChoice(
        memory,
        filled,
        "cd_tipo_plan",
        listIn(payload["planes"]).map(({ cd_tipo_plan }) => cd_tipo_plan)
      )
    case "webhooksCrear":
      return learnWebhook(memory, payload)
    case "webhooksProbar":
      return learnTestEvent(memory, filled, payload)
    case "webhooksBorrar":
      return forgetWebhook(memory, payload)
    default:
      return memory
  }
}

const learnEtag = (memory: KnownFacts, { query, path }: HttpRequest, { headers }: ApiResponse): KnownFacts => {
  const etag = headers.get("etag")
  // ETags of paths with a query are not kept, because the number of queries is unlimited.
  return etag === null || query.length > 0 ? memory : { ...memory, etags: { ...memory.etags, [path]: etag } }
}

/** Learns facts from a REST response. A sale with an unknown outcome is also a fact. */
export const learnFromAnswer = (
  memory: KnownFacts,
  filled: OperationCall,
  request: HttpRequest,
  answer: ApiResponse
): KnownFacts => {
  const { body, status } = answer
  const now = learnEtag(memory, request, answer)
  const payload: unknown = status < 300 ? (body?.data ?? body?.error?.details) : undefined
  return Predicate.isObjectOrArray(payload) ? learnFrom(now, filled, payload as JsonObject) : now
}
