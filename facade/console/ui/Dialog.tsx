import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** A modal dialog. The browser keeps the focus inside and closes it with Escape. */
export const Dialog = ({ children, onClose, title }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  const cancelled = (event: Event) => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={element} aria-labelledby={heading} onCancel={cancelled}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="plain" aria-label="Cerrar" onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  )
}
