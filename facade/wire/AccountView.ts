import { Schema } from "effect"
import type { Session } from "../../core/domain/Access.ts"
import { Environment } from "../../core/domain/Company.ts"

/** Contract: 2.2. */
export const AccountView = Schema.Struct({
  empresa_id: Schema.Int,
  razon_social: Schema.String,
  codigo_empresa: Schema.String,
  ambiente: Environment,
  sandbox: Schema.Boolean,
  token: Schema.Struct({ nombre: Schema.String, permisos: Schema.Array(Schema.String) })
}).annotate({ identifier: "Cuenta" })

export const accountView = ({ company, token }: Session): typeof AccountView.Type => ({
  empresa_id: company.id,
  razon_social: company.legalName,
  codigo_empresa: company.code,
  ambiente: company.environment,
  sandbox: company.environment === "development",
  token: { nombre: token.name, permisos: token.permissions }
})
