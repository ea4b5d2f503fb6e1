import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"

// In production, both sides ignore unknown fields, because later versions may add fields. Tests reject every field that
// no schema describes. A schema that extends another schema lists it in allOf.
const closed = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && "properties" in value && "type" in value && !("allOf" in value)
    ? { ...value, additionalProperties: false }
    : value

/** Validates values against the schemas of an OpenAPI document. */
export const schemaFaultsBy = (document: object) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(JSON.parse(JSON.stringify(document), closed), "openapi", false, false)
  const validators = new Map<string, ValidateFunction>()

  return (place: ReadonlyArray<string>, value: unknown): ReadonlyArray<string> => {
    const pointer = place.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
    const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` })
    validators.set(pointer, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map((error) => `${ajv.errorsText([error])} in ${JSON.stringify(value)}`)
  }
}
