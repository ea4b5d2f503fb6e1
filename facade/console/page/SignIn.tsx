/** The page of the sign-in. */
export const SignIn = () => (
  <main class="narrow">
    <h1>Consola de Saldo</h1>
    <p>No hay una sesión abierta.</p>
  </main>
)
