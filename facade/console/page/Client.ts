import { createTRPCClient, httpLink, type TRPCClient, TRPCClientError, type TRPCLink } from "@trpc/client"
import { observable } from "@trpc/server/observable"
import type { ConsoleRouter } from "../ConsoleRouter.ts"
import { csrfHeader, proceduresPath, useHeader } from "../Paths.ts"
import type { FormFault } from "../ui/Form.tsx"
import { askPassword, endSession, noteConnection, sessionToken } from "./Session.ts"

/** Error code of a call that received no response from the console. */
const noConnection = "SIN_CONEXION"
const failed = "No se pudo conectar con la consola. Revise su conexión y reintente."

/** The refusal of a failed call, as the page shows it. */
export const faultOf = (error: unknown): FormFault & { readonly code: string } => {
  const refusal = error instanceof TRPCClientError ? (error as TRPCClientError<ConsoleRouter>).data?.error : undefined
  return refusal ?? { code: noConnection, message: failed }
}

/**
 * Handles session errors for every call. If a change needs the password, asks for the password and retries the change.
 * If there is no session, the page shows the sign-in.
 */
const sessionLink: TRPCLink<ConsoleRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) => {
      const again = () => next(op).subscribe(observer)
      const refused = async (error: TRPCClientError<ConsoleRouter>) => {
        const { code } = faultOf(error)
        noteConnection(code !== noConnection)
        if (code === "CONFIRME_CLAVE" && (await askPassword())) return again()
        if (code === "SIN_SESION") endSession()
        return observer.error(error)
      }
      return next(op).subscribe({
        next: (value) => {
          noteConnection(true)
          observer.next(value)
        },
        error: (error) => void refused(error),
        complete: () => observer.complete()
      })
    })

/** How long after the operator's last key or click a request counts as use of the session. */
const use_ms = 60_000

let usedAt_ms = Date.now()

const noteUse = (): void => {
  usedAt_ms = Date.now()
}

for (const event of ["keydown", "pointerdown"]) addEventListener(event, noteUse, { passive: true })

const sessionHeaders = (): Record<string, string> => {
  const token = sessionToken()
  return {
    ...(token !== undefined && { [csrfHeader]: token }),
    ...(Date.now() - usedAt_ms < use_ms && { [useHeader]: "1" })
  }
}

/** The console's procedures. */
export const api: TRPCClient<ConsoleRouter> = createTRPCClient<ConsoleRouter>({
  links: [sessionLink, httpLink({ url: proceduresPath, headers: sessionHeaders })]
})
