import type { ComponentChildren } from "preact"

/** The meaning of a badge's colour. The text always says the same, so no information is in the colour alone. */
export type Tone = "good" | "bad" | "warn" | "info" | "plain"

/** A state in a coloured frame. */
export const Badge = ({ children, tone = "plain" }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge badge-${tone}`}>{children}</span>
)
