import { catalogo } from "./Catalogo.ts"
import { cuenta } from "./Cuenta.ts"
import { router } from "./Procedure.ts"
import { recargas } from "./Recargas.ts"
import { sistema } from "./Sistema.ts"
import { transacciones } from "./Transacciones.ts"

/** Every procedure of the service. REST, the OpenAPI document and tRPC's clients all follow from it. */
export const appRouter = router({ sistema, cuenta, catalogo, recargas, transacciones })
export type AppRouter = typeof appRouter
