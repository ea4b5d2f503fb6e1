/** The paths of the console's pages. A part that begins with a colon is an id. */
export const pagePaths = [
  "/",
  "/transacciones",
  "/transacciones/:id",
  "/pendientes",
  "/empresas",
  "/empresas/:id",
  "/catalogo",
  "/seguros",
  "/webhooks",
  "/cierres",
  "/cierres/:id",
  "/casos",
  "/casos/:id",
  "/auditoria",
  "/operadores",
  "/entrar",
  "/invitacion",
  "/acceso"
] as const

export type PagePath = (typeof pagePaths)[number]

const patterns = pagePaths.map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(":id", "([\\w-]{1,40})")}$`)
}))

/** The page at a path, with the id in the path if there is one. Undefined if there is no such page. */
export const pageAt = (path: string): { readonly path: PagePath; readonly id: string | undefined } | undefined => {
  for (const { path: page, pattern } of patterns) {
    const found = pattern.exec(path)
    if (found !== null) return { path: page, id: found[1] }
  }
  return undefined
}

/**
 * Paths of the sign-in at an identity provider. Browsers reach them by navigation: the first leads to the provider, and
 * the provider leads to the second.
 */
export const oidcPaths = { begin: "/oidc/entrar", finish: "/oidc/vuelta" }

/** Path below which the procedures are called. */
export const proceduresPath = "/api"

/** The header with the session's CSRF token. Every request that changes something must send it. */
export const csrfHeader = "x-saldo-ficha"

/** The header that marks requests caused by an action of the operator. Only these requests prolong the session. */
export const useHeader = "x-saldo-uso"
