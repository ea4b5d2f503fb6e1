import { Record, Schema, Struct } from "effect"
import { EntryType } from "../../core/domain/Account.ts"
import { Environment } from "../../core/domain/Company.ts"
import { codes } from "../../core/domain/ErrorCodes.ts"
import { LimitExceeded } from "../../core/domain/Errors.ts"
import { ExtraCode, VehicleType } from "../../core/domain/InsuranceOffer.ts"
import { InsuranceState } from "../../core/domain/InsuranceState.ts"
import { Flow, ServiceType } from "../../core/domain/Service.ts"
import { Status } from "../../core/domain/Status.ts"

/** A JSON Schema of the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** A JSON Schema written by hand, for a field that accepts inputs that a generated schema cannot describe. */
      readonly document?: JsonSchema | undefined
    }
  }
}

// Leaves out keywords that exclude nothing, because every object or every safe integer satisfies them.
const isRedundant = (key: string, value: unknown): boolean =>
  (key === "additionalProperties" && value === true) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** The path of the schemas within the OpenAPI document. */
export const schemasPath = "#/components/schemas/"

/** A reference to a schema of the OpenAPI document. */
export const refTo = (component: string) => ({ $ref: `${schemasPath}${component}` })

/** The component that a schema refers to. Undefined for a schema that is not a reference. */
export const componentName = ({ $ref }: JsonSchema): string | undefined =>
  $ref === undefined ? undefined : String($ref).slice(schemasPath.length)

/** The enumerations that are components, by component name. Their values come from the domain. */
export const enumerations: Readonly<Record<string, JsonSchema>> = Record.map(
  {
    Ambiente: Environment,
    CodigoError: Schema.Literals(Struct.keys(codes)),
    CodigoOpcional: ExtraCode,
    EstadoSeguro: InsuranceState,
    EstadoTransaccion: Status,
    Flujo: Flow,
    PeriodoLimite: LimitExceeded.fields.period,
    TipoMovimiento: EntryType,
    TipoServicio: ServiceType,
    TipoVehiculo: VehicleType
  },
  (schema) => Schema.toJsonSchemaDocument(schema).schema
)

const enumerationNames = new Map(Object.entries(enumerations).map(([name, schema]) => [JSON.stringify(schema), name]))

const cleaned = <A>(generated: A): A =>
  JSON.parse(JSON.stringify(generated), (key, value) => {
    if (key === "$ref") return String(value).replace("#/$defs/", schemasPath)
    const enumeration = Object.hasOwn(Object(value), "enum") ? enumerationNames.get(JSON.stringify(value)) : undefined
    if (enumeration !== undefined) return refTo(enumeration)
    return isRedundant(key, value) ? undefined : value
  })

/** The JSON Schema of an Effect schema's JSON form. A schema with an identifier becomes a reference to a component. */
export const documentOf = (schema: Schema.Constraint): JsonSchema => {
  const declared = Schema.resolveAnnotations(schema)?.["document"]
  return declared === undefined ? cleaned(Schema.toJsonSchemaDocument(schema).schema) : (declared as JsonSchema)
}

/** The components that a schema refers to, by their identifiers. */
export const componentsOf = (schema: Schema.Constraint): Readonly<Record<string, JsonSchema>> =>
  cleaned(Schema.toJsonSchemaDocument(schema).definitions)
