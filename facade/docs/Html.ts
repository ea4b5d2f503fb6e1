/** HTML markup, which is inserted without escaping. Plain text is escaped. */
export interface Html {
  readonly markup: string
}

type Content = Html | string | number | ReadonlyArray<Html>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

const markupOf = (content: Content): string => {
  if (typeof content === "number") return String(content)
  if (typeof content === "string") return escaped(content)
  return "markup" in content ? content.markup : content.map(({ markup }) => markup).join("")
}

/** A template for HTML markup. Plain text in the template is escaped, in elements and in quoted attributes. */
export const html = (strings: TemplateStringsArray, ...contents: ReadonlyArray<Content>): Html => ({
  markup: String.raw({ raw: strings }, ...contents.map(markupOf))
})

/** Text in a fixed-width font, such as a program. */
export const block = (name: string, text: string): Html =>
  html`<pre tabindex="0" role="region" aria-label="${name}"><code>${text}</code></pre>`

/** Content that a reader can unfold. */
export const folded = (
  title: string,
  content: Html,
  isOpen = false
): Html => html`<details${isOpen ? html` open` : ""}><summary>${title}</summary>
${content}
</details>`
