import type { ComponentChildren } from "preact"

/** Shown while data are loaded for the first time. */
export const Loading = () => (
  <p class="state" role="status">
    Cargando…
  </p>
)

/** Shown in place of an empty list. */
export const Empty = ({ children }: { children: ComponentChildren }) => <p class="state">{children}</p>

/** Shown when data could not be loaded. */
export const Failed = ({ message, retry }: { message: string; retry?: () => void }) => (
  <div class="state state-failed" role="alert">
    <p>{message}</p>
    {retry && (
      <button type="button" onClick={retry}>
        Reintentar
      </button>
    )}
  </div>
)
