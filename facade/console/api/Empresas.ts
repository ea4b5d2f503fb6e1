import { Effect } from "effect"
import { Companies } from "../../../core/ports/Companies.ts"
import { input } from "../../api/Input.ts"
import { read } from "./Procedure.ts"

export const empresas = {
  listar: read({
    gate: "read",
    input: input({}),
    handle: () =>
      Companies.use((companies) =>
        Effect.map(companies.list, (all) =>
          all.map(({ code, environment, id, legalName, state }) => ({
            empresa_id: id as number,
            razon_social: legalName,
            codigo_empresa: code,
            ambiente: environment,
            estado: state
          }))
        )
      )
  })
}
