import { router } from "./Procedure.ts"
import { documento, ver } from "./SegurosDocumento.ts"
import { disponible, iniciar, reenviar, verificar } from "./SegurosInicio.ts"
import { cotizar, elegirPlan, planes } from "./SegurosPlan.ts"

/** A policy for a vehicle, step by step; `recargas.crear` sells it. Contract: 4.6. */
export const seguros = router({
  disponible,
  iniciar,
  reenviar,
  verificar,
  planes,
  elegirPlan,
  cotizar,
  ver,
  documento
})
