import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"

/** A target in the console: the path, and the query that keeps filters in the address. */
export interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

/** The parts of the address that a page receives. */
export interface ScreenProps {
  /** The id in the path. Empty for a page without one. */
  readonly id: string
  readonly query: URLSearchParams
}

const currentPlace = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search)
})

const moved = "saldo:moved"

/** Goes to another address of the console without loading the page again. */
export const goTo = (address: string): void => {
  history.pushState(null, "", address)
  dispatchEvent(new Event(moved))
}

/** Changes filters in the address, without another entry in the history. An empty value removes the filter. */
export const setQuery = (values: Readonly<Record<string, string | undefined>>): void => {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  history.replaceState(null, "", text === "" ? location.pathname : `${location.pathname}?${text}`)
  dispatchEvent(new Event(moved))
}

/** The current address. The component is drawn again when it changes. */
export const usePlace = (): Place => {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    const update = () => setPlace(currentPlace())
    addEventListener("popstate", update)
    addEventListener(moved, update)
    return () => {
      removeEventListener("popstate", update)
      removeEventListener(moved, update)
    }
  }, [])
  return place
}

interface LinkProps {
  readonly to: string
  readonly class?: string
  readonly isCurrent?: boolean
  readonly children: ComponentChildren
}

/** A link within the console. */
export const Link = ({ children, class: style, isCurrent = false, to }: LinkProps) => {
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    goTo(to)
  }
  return (
    <a href={to} class={style} aria-current={isCurrent ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  )
}
