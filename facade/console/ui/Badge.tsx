import type { ComponentChildren } from "preact"

/**
 * The meaning of a badge's colour. The badge's text always states this meaning too, so readers need not see the colour.
 */
export type Tone = "good" | "bad" | "warn" | "info" | "plain"

/** A state in a coloured frame. */
export const Badge = ({ children, tone = "plain" }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge badge-${tone}`}>{children}</span>
)
