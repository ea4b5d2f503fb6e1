import { Effect } from "effect"

/** What the tests look at in an answer. */
interface Answered {
  readonly data: { readonly transaction_id: number; readonly status: string }
  readonly error: { readonly code: string }
}

/** The sale that the server's own words tell a newcomer to make. */
export const sellAsPrinted = (output: string) => {
  const [, url = ""] = /curl -sk? (\S+)/.exec(output) ?? []
  const headers = [...output.matchAll(/-H '([\w-]+): (.+)'/g)].map(
    ([, name = "", value = ""]) => [name, value] as const
  )
  const [, body = ""] = /-d '(.+)'/.exec(output) ?? []
  return Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", headers: headers.map((header) => [...header]), body })
    return { response, body: (await response.json()) as Answered }
  })
}
