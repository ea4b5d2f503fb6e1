import type { Bundle } from "./Bundle.ts"

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%230b6e4f'/%3E%3Cpath d='M10 20c0 2.5 2.5 4 6 4s6-1.600 6-4.200c0-5.600-11-2.600-11-7.600C11 9.600 13.200 8 16 8s5 1.400 5 3.600' fill='none' stroke='%23fff' stroke-width='2.600'/%3E%3C/svg%3E"

const documentOf = (title: string, head: string, body: string): string => `<!doctype html>
<html lang="es">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}">
${head}
</head>
<body>
${body}
</body>
</html>
`

/**
 * The HTML document that every page of the console has. The script in it shows the page that belongs to the address.
 */
export const shellPage = ({ script, style }: Bundle): string =>
  documentOf(
    "Consola de Saldo",
    `<link rel="stylesheet" href="${style.path}">
<script type="module" src="${script.path}"></script>`,
    `<div id="consola"><p role="status">Cargando…</p></div>
<noscript>La consola necesita JavaScript.</noscript>`
  )

/**
 * The page after a sign-in at an identity provider. It loads the console by a request from this site. Browsers do not send
 * the session cookie with a request that another site started.
 */
export const enteredPage = documentOf(
  "Consola de Saldo",
  '<meta http-equiv="refresh" content="0; url=/">',
  '<main><h1>Consola de Saldo</h1><p><a href="/">Entrar</a></p></main>'
)

// A message may contain text from an identity provider, so markup in it is escaped.
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** A page with only one sentence, for a request that receives no page of the console. */
export const plainPage = (message: string): string =>
  documentOf(
    "Consola de Saldo",
    "",
    `<main><h1>Consola de Saldo</h1><p>${escaped(message)}</p><p><a href="/">Ir al panorama</a></p></main>`
  )
