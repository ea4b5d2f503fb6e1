import { useState } from "preact/hooks"
import encodeQR from "qr"
import { Field, Form } from "../ui/Form.tsx"
import { useLive } from "../ui/Live.ts"
import { Failed, Loading } from "../ui/States.tsx"
import { api, faultOf } from "./Client.ts"

/** The squares of a QR code as the path of an SVG image. */
const squaresOf = (matrix: ReadonlyArray<ReadonlyArray<boolean>>): string =>
  matrix.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")

const QrCode = ({ label, text }: { label: string; text: string }) => {
  const matrix = encodeQR(text, "raw", { border: 1 })
  return (
    <svg class="qr" viewBox={`0 0 ${matrix.length} ${matrix.length}`} role="img" aria-label={label}>
      <path d={squaresOf(matrix)} />
    </svg>
  )
}

interface Secret {
  readonly secreto: string
  readonly uri: string
}

interface StepProps {
  readonly link: string
  readonly onDone: () => Promise<void>
}

const PasswordStep = ({ link, name, onSecret }: { link: string; name: string; onSecret: (secret: Secret) => void }) => (
  <Form
    action="Continuar"
    faultOf={faultOf}
    onSubmit={async ({ clave = "" }) => onSecret(await api.sesion.aceptar.mutate({ enlace: link, clave }))}
  >
    {(fault) => (
      <>
        {/* Password managers store the password under this name. */}
        <input
          class="hidden"
          type="text"
          autocomplete="username"
          value={name}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <Field
          name="clave"
          label="Contraseña nueva"
          hint="Al menos 12 caracteres."
          type="password"
          required
          autocomplete="new-password"
          fault={fault}
        />
      </>
    )}
  </Form>
)

const CodeStep = ({ link, onDone, secret: { secreto, uri } }: StepProps & { secret: Secret }) => (
  <>
    <p>Lea este código con su aplicación de autenticación y escriba los 6 dígitos que muestra.</p>
    <QrCode text={uri} label="Código QR con el secreto de la aplicación de autenticación" />
    <p>
      Sin cámara, escriba este secreto en la aplicación: <code class="secret">{secreto}</code>
    </p>
    <Form
      action="Entrar"
      faultOf={faultOf}
      onSubmit={async ({ codigo = "" }) => {
        await api.sesion.confirmarCodigo.mutate({ enlace: link, codigo })
        await onDone()
      }}
    >
      {(fault) => (
        <Field
          name="codigo"
          label="Código de 6 dígitos"
          required
          inputMode="numeric"
          autocomplete="one-time-code"
          fault={fault}
        />
      )}
    </Form>
  </>
)

/**
 * The page of an invitation. The operator chooses a password, adds the secret to an authenticator app, and is
 * then signed in.
 */
export const Invitation = ({ link, onDone }: StepProps) => {
  const { data, error } = useLive(() => api.sesion.invitacion.mutate({ enlace: link }), link)
  const [secret, setSecret] = useState<Secret>()
  if (data === undefined) return error === undefined ? <Loading /> : <Failed message={faultOf(error).message} />
  return (
    <>
      <p>
        Invitación de <strong>{data.nombre}</strong>, con el rol {data.rol}.
      </p>
      {secret === undefined ? (
        <PasswordStep link={link} name={data.nombre} onSecret={setSecret} />
      ) : (
        <CodeStep link={link} onDone={onDone} secret={secret} />
      )}
    </>
  )
}
