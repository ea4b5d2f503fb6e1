/** Where this machine reaches a server: one that listens everywhere is at the loopback address too. */
export const localUrl = (
  scheme: "http" | "https",
  { host, port }: { readonly host: string; readonly port: number }
) => {
  const name = ["0.0.0.0", "::", "localhost"].includes(host) ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `${scheme}://${name}:${port}`
}
