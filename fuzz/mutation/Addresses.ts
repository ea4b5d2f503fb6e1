import fc from "fast-check"
import { noId, refusedInQueryBy, strangeQueries, unprintableInQuery } from "../../tools/api/Hostile.ts"
import type { Input, Operation } from "../document/Operations.ts"
import type { HttpRequest } from "../request/HttpRequest.ts"

export type Rewrite = (request: HttpRequest) => HttpRequest

const asked =
  (part: string): Rewrite =>
  (request) => ({ ...request, query: [...request.query, part] })

const method = fc
  .constantFrom("HEAD", "HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY", "get", "VENDE")
  .map(
    (other): Rewrite =>
      (request) => ({ ...request, method: other })
  )

const spellings: ReadonlyArray<(path: string) => string> = [
  (path) => `${path}/`,
  (path) => `${path}//`,
  (path) => `/${path}`,
  (path) => `${path}.json`,
  (path) => `${path};x=1`,
  (path) => `${path}%00`,
  (path) => `${path}%ff`,
  (path) => `${path}%`,
  (path) => path.toUpperCase(),
  (path) => path.replace("/v1/", "/v1//"),
  (path) => path.replace("/v1/", "/v2/"),
  (path) => path.replace("/v1/", "/v1/../v1/"),
  (path) => path.replace("/v1/", "/v1%2f"),
  (path) => `${path}/${"x".repeat(3_000)}`,
  (path) => `${path}/${"x/".repeat(500)}`,
  (path) => `http://otro.example${path}`
]

const spelling = fc.constantFrom(...spellings).map(
  (spell): Rewrite =>
    (request) => ({ ...request, path: spell(request.path) })
)

/** What is in the place of an id and is none, as it stands in a path. */
const place = ({ path }: Operation): fc.Arbitrary<Rewrite> =>
  fc.constantFrom(...noId).map((id) => (request) => ({ ...request, path: path.replace(/\{\w+\}/, () => id) }))

const stranger = fc.constantFrom(...strangeQueries, ...unprintableInQuery.map((value) => `nada=${value}`)).map(asked)

const refused = ({ name, schema }: Input): fc.Arbitrary<Rewrite> =>
  fc.constantFrom(...refusedInQueryBy(schema), ...unprintableInQuery).map((value) => (request) => ({
    ...request,
    query: [...request.query.filter((part) => !part.startsWith(`${name}=`)), `${name}=${value}`]
  }))

/** What may go wrong with where a request goes: its method, its path, its query. */
export const addressRewriteOf = (operation: Operation): fc.Arbitrary<Rewrite> => {
  const queried = operation.inputs.filter((input) => input.place === "query")
  return fc.oneof(
    { weight: 3, arbitrary: method },
    { weight: 3, arbitrary: spelling },
    { weight: 2, arbitrary: stranger },
    ...(operation.path.includes("{") ? [{ weight: 5, arbitrary: place(operation) }] : []),
    ...(queried.length > 0 ? [{ weight: 5, arbitrary: fc.constantFrom(...queried).chain(refused) }] : [])
  )
}
