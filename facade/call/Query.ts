/** Reads what escapes say as strictly as bodies are read; a percent sign that begins no escape stands for itself. */
const isUtf8 = (escaped: string): boolean => {
  try {
    decodeURIComponent(escaped.replace(/%(?![\da-f]{2})/gi, "%25"))
    return true
  } catch {
    return false
  }
}

/**
 * The parameters of a query. One that is given several times, or is not UTF-8, is a list: no field takes a list, so it
 * is refused by its name where somebody knows that name.
 */
export const queryOf = ({ search }: URL): Readonly<Record<string, string | ReadonlyArray<string>>> => {
  const pairs = search
    .slice(1)
    .split("&")
    .flatMap((pair) => Array.from(new URLSearchParams(`?${pair}`), ([name, value]) => ({ name, value, pair })))
  return Object.fromEntries(
    Array.from(
      Map.groupBy(pairs, ({ name }) => name),
      ([name, given]) => {
        const [sole] = given
        const isText = sole !== undefined && given.length === 1 && isUtf8(sole.pair)
        return [name, isText ? sole.value : given.map(({ value }) => value)]
      }
    )
  )
}

/** Where a request goes. Its host says nothing that anybody asks here. */
export const targetOf = ({ url }: { readonly url: string }): URL => new URL(url, "http://localhost")
