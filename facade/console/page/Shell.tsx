import { useEffect, useRef } from "preact/hooks"
import { pageAt } from "../Paths.ts"
import { Toasts } from "../ui/Toast.tsx"
import { api } from "./Client.ts"
import { Link, usePlace } from "./Navigation.tsx"
import { PasswordDialog } from "./PasswordDialog.tsx"
import { screens } from "./Screens.tsx"
import { endSession, type Session, useSession } from "./Session.ts"

const signOut = async () => {
  await api.sesion.salir.mutate({})
  endSession()
}

const Navigation = ({ path, session }: { path: string; session: Session }) => (
  <nav class="main" aria-label="Páginas de la consola">
    {Object.entries(screens).map(([to, { action, isListed, title }]) =>
      isListed && session.acciones.includes(action) ? (
        <Link key={to} to={to} isCurrent={path === to || (to !== "/" && path.startsWith(`${to}/`))}>
          {title}
        </Link>
      ) : null
    )}
  </nav>
)

const NotFound = () => (
  <>
    <h1>No existe</h1>
    <p>Esta página no existe. Use la navegación de arriba.</p>
  </>
)

/** Moves the focus to the page after a link was followed, as a browser does when it loads a page. */
const useFocusAfterMove = (path: string) => {
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    document.getElementById("contenido")?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [path])
}

/** The frame around every page: navigation, operator, messages, and the dialog that asks for the password. */
export const Shell = ({ session }: { session: Session }) => {
  const { path, query } = usePlace()
  const { answer, isConnected } = useSession()
  const found = pageAt(path)
  const screen = found && screens[found.path]
  const title = screen?.title ?? "No existe"
  useEffect(() => {
    document.title = `${title} · Consola de Saldo`
  }, [title])
  useFocusAfterMove(path)
  const Page = screen?.component
  return (
    <>
      <a class="skip" href="#contenido">
        Ir al contenido
      </a>
      <header class="top">
        <span class="brand">Saldo</span>
        <Navigation path={path} session={session} />
        <div class="operator">
          <span>
            {session.nombre} · {session.rol}
          </span>
          <button type="button" onClick={() => void signOut()}>
            Salir
          </button>
        </div>
      </header>
      <main id="contenido" tabIndex={-1}>
        {!isConnected && (
          <p class="state state-failed" role="status">
            Sin conexión con la consola. Los datos mostrados pueden estar desactualizados.
          </p>
        )}
        {Page === undefined ? (
          <NotFound />
        ) : (
          <>
            <h1>{title}</h1>
            <Page key={path} id={found?.id ?? ""} query={query} />
          </>
        )}
      </main>
      {answer && <PasswordDialog onAnswer={answer} />}
      <Toasts />
    </>
  )
}
