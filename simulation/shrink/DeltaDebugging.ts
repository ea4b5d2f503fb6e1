/**
 * Reduces a list to a small part that still shows a failure, by delta debugging. It removes halves, quarters and
 * smaller parts as long as the failure remains (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing
 * Input).
 *
 * @param shows whether a part of the list shows the failure. It is called at most `tries_max` times.
 */
export const minimize = async <A>(
  whole: ReadonlyArray<A>,
  shows: (part: ReadonlyArray<A>) => Promise<boolean>,
  tries_max: number
): Promise<ReadonlyArray<A>> => {
  let kept = whole
  let parts = 2
  let tries = 0
  while (kept.length > 0 && tries < tries_max) {
    const size = Math.ceil(kept.length / parts)
    let found: ReadonlyArray<A> | null = null
    for (let from = 0; from < kept.length && found === null && tries < tries_max; from += size) {
      const without = [...kept.slice(0, from), ...kept.slice(from + size)]
      tries++
      if (await shows(without)) found = without
    }
    if (found !== null) {
      kept = found
      parts = Math.max(2, parts - 1)
    } else if (size === 1) return kept
    else parts = Math.min(kept.length, parts * 2)
  }
  return kept
}
