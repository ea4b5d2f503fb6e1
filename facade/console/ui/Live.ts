import { useEffect, useRef, useState } from "preact/hooks"

/** Data that are loaded and refreshed. After a failed refresh, the last data stay. */
export interface Live<A> {
  readonly data: A | undefined
  readonly error: unknown
  readonly reload: () => void
}

/**
 * Loads data when `key` changes and every `refresh_s` seconds while the page is visible. Without `refresh_s`, loads once
 * for each key.
 */
export const useLive = <A>(load: () => Promise<A>, key: string, refresh_s?: number): Live<A> => {
  const [state, setState] = useState<{ data: A | undefined; error: unknown; key: string }>({
    data: undefined,
    error: undefined,
    key
  })
  const [round, setRound] = useState(0)
  const loading = useRef(load)
  loading.current = load
  // The effect does not read `round`. A new value of `round` only runs the effect again.
  useEffect(() => {
    let isCurrent = true
    const refresh = async () => {
      try {
        const data = await loading.current()
        if (isCurrent) setState({ data, error: undefined, key })
      } catch (error) {
        if (isCurrent) setState((last) => ({ data: last.key === key ? last.data : undefined, error, key }))
      }
    }
    void refresh()
    const refreshVisible = () => {
      if (document.visibilityState === "visible") void refresh()
    }
    const timer = refresh_s === undefined ? undefined : setInterval(refreshVisible, refresh_s * 1_000)
    return () => {
      isCurrent = false
      clearInterval(timer)
    }
  }, [key, refresh_s, round])
  const reload = () => setRound((times) => times + 1)
  return state.key === key
    ? { data: state.data, error: state.error, reload }
    : { data: undefined, error: undefined, reload }
}
