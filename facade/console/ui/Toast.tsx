import { useEffect, useState } from "preact/hooks"

interface Message {
  readonly id: number
  readonly text: string
  readonly isError: boolean
}

const shown_ms = 6_000

let messages: ReadonlyArray<Message> = []
let next = 1
let notify = (): void => {}

const replace = (changed: ReadonlyArray<Message>): void => {
  messages = changed
  notify()
}

/** Shows a message for some seconds. Screen readers read it aloud. */
export const toast = (text: string, { isError = false } = {}): void => {
  const id = next++
  replace([...messages, { id, text, isError }])
  setTimeout(() => replace(messages.filter((message) => message.id !== id)), shown_ms)
}

/** The element that shows the messages. A page has only one. */
export const Toasts = () => {
  const [, redraw] = useState(0)
  useEffect(() => {
    notify = () => redraw((times) => times + 1)
    return () => {
      notify = () => {}
    }
  }, [])
  return (
    <div class="toasts" role="status" aria-live="polite">
      {messages.map(({ id, isError, text }) => (
        <p key={id} class={isError ? "toast toast-error" : "toast"}>
          {text}
        </p>
      ))}
    </div>
  )
}
