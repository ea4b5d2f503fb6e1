import { render } from "preact"
import { useEffect } from "preact/hooks"
import { Loading } from "../ui/States.tsx"
import { api } from "./Client.ts"
import { beginSession, useSession } from "./Session.ts"
import { Shell } from "./Shell.tsx"
import { SignIn } from "./SignIn.tsx"

const App = () => {
  const { session } = useSession()
  useEffect(() => {
    api.sesion.actual.query({}).then(beginSession, () => beginSession(null))
  }, [])
  if (session === undefined) return <Loading />
  return session === null ? <SignIn /> : <Shell session={session} />
}

const root = document.querySelector("#consola")
if (root !== null) {
  root.replaceChildren()
  render(<App />, root)
}
