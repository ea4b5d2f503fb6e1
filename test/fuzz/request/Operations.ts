import type { JsonSchema } from "../../../facade/api/JsonSchema.ts"
import { inlineReferences } from "../../support/InlineReferences.ts"

/** An input that an operation reads from a request. */
export interface OperationInput {
  readonly name: string
  readonly place: "path" | "query" | "header" | "body"
  readonly required: boolean
  readonly schema: JsonSchema
}

/** An operation at a documented path and method. */
export interface Operation {
  /** Operation id. A path and its aliases have the same id. */
  readonly name: string
  readonly method: string
  /** Path with its parameters in braces. */
  readonly path: string
  readonly inputs: ReadonlyArray<OperationInput>
  readonly guarded: boolean
  readonly statuses: ReadonlyArray<number>
}

interface ParameterObject {
  readonly in: OperationInput["place"]
  readonly name: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

interface BodySchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<BodySchema>
}

interface OperationObject {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<ParameterObject>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> }
  readonly security: ReadonlyArray<object>
  readonly responses: Readonly<Record<string, object>>
}

/** The parts of an OpenAPI document that the fuzzer reads. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
}

/** The inputs of a body. If the body has several forms, a field is required only if every form requires it. */
const bodyInputs = ({ requestBody }: OperationObject): ReadonlyArray<OperationInput> => {
  const schema = requestBody?.content["application/json"]?.schema ?? {}
  const forms = schema.anyOf ?? [schema]
  const fields = Object.assign({}, ...forms.map(({ properties }) => properties))
  return Object.entries<JsonSchema>(fields).map(([name, field]) => ({
    name,
    place: "body",
    required: forms.every(({ required = [] }) => required.includes(name)),
    schema: field
  }))
}

const parameterInputs = ({ parameters = [] }: OperationObject): ReadonlyArray<OperationInput> =>
  parameters.map(({ in: place, name, required = false, schema }) => ({ name, place, required, schema }))

/** Lists every path and method of a document. */
export const operationsOf = (document: OpenApiDocument): ReadonlyArray<Operation> =>
  Object.entries(inlineReferences(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: operation.operationId.replace(/Alias\d+$/, ""),
      method: method.toUpperCase(),
      path,
      inputs: [...parameterInputs(operation), ...bodyInputs(operation)],
      guarded: operation.security.length > 0,
      statuses: Object.keys(operation.responses).map(Number)
    }))
  )

/** Name of an operation in the coverage. */
export const endpointKey = ({ method, path }: Pick<Operation, "method" | "path">): string => `${method} ${path}`

const patternOf = ({ path }: Operation): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`)

/** Finds the documented operation at a method and path. */
export const operationFinder = (operations: ReadonlyArray<Operation>) => {
  const patterns = operations.map((operation) => ({ operation, pattern: patternOf(operation) }))
  return (method: string, path: string): Operation | undefined => {
    const wanted = method === "HEAD" ? "GET" : method
    return patterns.find(({ operation, pattern }) => operation.method === wanted && pattern.test(path))?.operation
  }
}
