import { useEffect, useState } from "preact/hooks"
import { Field, Form } from "../ui/Form.tsx"
import { Failed, Loading } from "../ui/States.tsx"
import { api, faultOf } from "./Client.ts"
import { Invitation } from "./Invitation.tsx"
import { goTo, usePlace } from "./Navigation.tsx"
import { beginSession } from "./Session.ts"

/** The paths of the pages that begin a session. */
const entrances = ["/entrar", "/invitacion", "/acceso"]

/** Reads the session that the server has just begun, and shows the page of the address. */
const enter = async () => {
  const session = await api.sesion.actual.query({})
  if (entrances.includes(location.pathname)) goTo("/")
  beginSession(session)
}

/** A link to the identity provider, if there is one. It leaves the console, so it is an ordinary link. */
export const IdentityProviderLink = () => {
  const [hasProvider, setHasProvider] = useState(false)
  useEffect(() => {
    // If the call fails, the password form is still shown.
    api.sesion.medios.query({}).then(
      ({ oidc }) => setHasProvider(oidc),
      () => undefined
    )
  }, [])
  return hasProvider ? (
    <p>
      <a href="/oidc/entrar">Entrar con el proveedor de identidad</a>
    </p>
  ) : null
}

const PasswordForm = () => (
  <Form
    action="Entrar"
    faultOf={faultOf}
    onSubmit={async ({ clave = "", codigo = "", nombre = "" }) => {
      await api.sesion.entrar.mutate({ nombre, clave, codigo })
      await enter()
    }}
  >
    {(fault) => (
      <>
        <Field name="nombre" label="Nombre" required autocomplete="username" fault={fault} />
        <Field name="clave" label="Contraseña" type="password" required autocomplete="current-password" fault={fault} />
        <Field
          name="codigo"
          label="Código de 6 dígitos"
          hint="El que muestra su aplicación de autenticación."
          required
          inputMode="numeric"
          autocomplete="one-time-code"
          fault={fault}
        />
      </>
    )}
  </Form>
)

/** Opens the one-time link that `npm start` has printed. */
const LocalAccess = ({ link }: { link: string }) => {
  const [message, setMessage] = useState<string>()
  useEffect(() => {
    api.sesion.abrirEnlace.mutate({ enlace: link }).then(enter, (error) => setMessage(faultOf(error).message))
  }, [link])
  if (message === undefined) return <Loading />
  return (
    <>
      <Failed message={message} />
      <PasswordForm />
    </>
  )
}

/** What a visitor without a session sees: the sign-in, or the page of a link. The link's token is in the fragment. */
export const SignIn = () => {
  const { path } = usePlace()
  const [link] = useState(() => location.hash.slice(1))
  useEffect(() => {
    document.title = "Entrar · Consola de Saldo"
    // The token of a link is not kept in the history.
    if (link !== "") history.replaceState(null, "", location.pathname)
  }, [link])
  const isLink = link !== ""
  return (
    <main class="narrow">
      <h1>Consola de Saldo</h1>
      {isLink && path === "/invitacion" ? (
        <Invitation link={link} onDone={enter} />
      ) : isLink && path === "/acceso" ? (
        <LocalAccess link={link} />
      ) : (
        <>
          <PasswordForm />
          <IdentityProviderLink />
        </>
      )}
    </main>
  )
}
