import type { ComponentChildren, TargetedEvent } from "preact"
import { useId, useState } from "preact/hooks"

/** Texts for the reasons with which the server refuses a field. */
const reasons: Readonly<Record<string, string>> = {
  requerido: "Hace falta este dato.",
  invalido: "No es válido.",
  fuera_de_rango: "Está fuera del rango permitido.",
  longitud: "Es demasiado corto o demasiado largo.",
  mas_de_2_decimales: "Tiene más de 2 decimales.",
  en_uso: "Ya está en uso."
}

const reasonText = (reason: unknown): string => reasons[String(reason)] ?? String(reason)

/** A call that failed: its message and the reason for each refused field. */
export interface FormFault {
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

interface LabelProps {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: FormFault | null | undefined
}

interface FieldProps extends LabelProps {
  readonly type?: "text" | "password" | "date" | "time" | "search" | "email"
  readonly required?: boolean
  readonly autocomplete?: "off" | "username" | "current-password" | "new-password" | "one-time-code"
  readonly inputMode?: "text" | "numeric" | "decimal"
  readonly maxLength?: number
  readonly value?: string
  /** Called with the text while the operator types, for filters outside a form. */
  readonly onInput?: (text: string) => void
}

const detailOf = (fault: FormFault | null | undefined, name: string) => {
  const reason = fault?.details?.[name]
  return typeof reason === "string" ? reasonText(reason) : undefined
}

interface LabelledProps extends LabelProps {
  readonly control: (attributes: {
    readonly id: string
    readonly "aria-describedby"?: string
    readonly "aria-invalid"?: boolean
  }) => ComponentChildren
}

const Labelled = ({ control, fault, hint, label, name }: LabelledProps) => {
  const id = useId()
  const wrong = detailOf(fault, name)
  const note = wrong ?? hint
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control({ id, ...(note && { "aria-describedby": `${id}-nota` }), ...(wrong && { "aria-invalid": true }) })}
      {note && (
        <small id={`${id}-nota`} class={wrong ? "wrong" : ""}>
          {note}
        </small>
      )}
    </div>
  )
}

/** A text field with its label, hint and error. A new `value` replaces only text that the operator has not changed. */
export const Field = ({ fault, hint, label, name, onInput, value, ...attributes }: FieldProps) => {
  const typed = onInput && {
    onInput: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => onInput(currentTarget.value)
  }
  return (
    <Labelled
      {...{ fault, hint, label, name }}
      control={(labelled) => (
        // Uses `defaultValue`, because with `value` each drawing of the page would restore the first text.
        // Preact's types lack an input with a type that is chosen at run time.
        <input
          name={name}
          autocomplete="off"
          defaultValue={value}
          {...(attributes as object)}
          {...typed}
          {...labelled}
        />
      )}
    />
  )
}

interface ChoiceProps extends LabelProps {
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string }>
  readonly value?: string
  /** Called with the chosen value, for filters outside a form. */
  readonly onInput?: (value: string) => void
}

/** A field with a list of values. */
export const Choice = ({ fault, hint, label, name, onInput, options, value }: ChoiceProps) => (
  <Labelled
    {...{ fault, hint, label, name }}
    control={(labelled) => (
      <select name={name} onChange={({ currentTarget }) => onInput?.(currentTarget.value)} {...labelled}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  />
)

interface AreaProps extends LabelProps {
  readonly rows?: number
  readonly required?: boolean
}

/** A text field with several lines. */
export const Area = ({ fault, hint, label, name, required = false, rows = 4 }: AreaProps) => (
  <Labelled
    {...{ fault, hint, label, name }}
    control={(labelled) => <textarea name={name} rows={rows} required={required} {...labelled} />}
  />
)

/** The values of a form's fields, trimmed. */
export type Values = Readonly<Record<string, string>>

const valuesOf = (form: HTMLFormElement): Values =>
  Object.fromEntries(
    Array.from(new FormData(form), ([name, value]) => [name, typeof value === "string" ? value.trim() : ""])
  )

interface FormProps {
  readonly action: string
  readonly onSubmit: (values: Values) => Promise<void>
  /** Turns a failed call into the texts that the form shows. */
  readonly faultOf: (error: unknown) => FormFault
  readonly children: (fault: FormFault | null) => ComponentChildren
  readonly isDangerous?: boolean
}

/** A form that sends its values once, and shows the reasons of a refusal next to the fields. */
export const Form = ({ action, children, faultOf, isDangerous = false, onSubmit }: FormProps) => {
  const [fault, setFault] = useState<FormFault | null>(null)
  const [isSending, setSending] = useState(false)
  const send = async (event: TargetedEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSending) return
    const values = valuesOf(event.currentTarget)
    setSending(true)
    setFault(null)
    try {
      await onSubmit(values)
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setSending(false)
    }
  }
  return (
    <form onSubmit={send} noValidate={false}>
      {children(fault)}
      {fault && (
        <p class="wrong" role="alert">
          {fault.message}
        </p>
      )}
      <button type="submit" class={isDangerous ? "danger" : "primary"} disabled={isSending}>
        {isSending ? "Enviando…" : action}
      </button>
    </form>
  )
}
