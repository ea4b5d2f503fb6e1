import type { inferRouterOutputs } from "@trpc/server"
import { useEffect, useState } from "preact/hooks"
import type { OperatorAction } from "../../../core/domain/Operator.ts"
import type { ConsoleRouter } from "../ConsoleRouter.ts"

/** The signed-in operator. */
export type Session = NonNullable<inferRouterOutputs<ConsoleRouter>["sesion"]["actual"]>

interface State {
  /** Undefined until the server has said whether there is a session. */
  readonly session: Session | null | undefined
  /** Ends the dialog that asks for the password. Undefined while there is no dialog. */
  readonly answer: ((isConfirmed: boolean) => void) | undefined
  /** Whether the last call has reached the console. */
  readonly isConnected: boolean
}

let state: State = { session: undefined, answer: undefined, isConnected: true }
const listeners = new Set<() => void>()

const change = (changed: Partial<State>): void => {
  state = { ...state, ...changed }
  for (const listener of listeners) listener()
}

/** The state of the session. The component is drawn again when it changes. */
export const useSession = (): State => {
  const [, redraw] = useState(0)
  useEffect(() => {
    const listener = () => redraw((times) => times + 1)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return state
}

export const noteConnection = (isConnected: boolean): void => {
  if (state.isConnected !== isConnected) change({ isConnected })
}

export const sessionToken = (): string | undefined => state.session?.ficha

export const beginSession = (session: Session | null): void => change({ session })

export const endSession = (): void => {
  state.answer?.(false)
  change({ session: null, answer: undefined })
}

/** Opens the dialog for the password. Returns whether the operator confirmed it. Several callers share one dialog. */
export const askPassword = (): Promise<boolean> =>
  new Promise((resolve) => {
    const earlier = state.answer
    change({
      answer: (isConfirmed) => {
        if (state.answer !== undefined) change({ answer: undefined })
        earlier?.(isConfirmed)
        resolve(isConfirmed)
      }
    })
  })

/** Whether the signed-in operator's role may take an action. The server checks every call; this only hides buttons. */
export const useMay = (action: OperatorAction): boolean => {
  const { session } = useSession()
  return session?.acciones.includes(action) === true
}
