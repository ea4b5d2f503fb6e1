/**
 * A copy of an OpenAPI document in which each reference is replaced by its component. The document has no recursive
 * schemas.
 */
export const inlineReferences = <A extends object>(document: A): A => {
  const componentAt = (reference: string): unknown =>
    reference
      .slice("#/".length)
      .split("/")
      .reduce<unknown>((found, name) => Object(found)[name], document)
  const inline = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(inline)
    if ("$ref" in value) return inline(componentAt(String(value.$ref)))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inline(member)]))
  }
  return inline(document) as A
}
