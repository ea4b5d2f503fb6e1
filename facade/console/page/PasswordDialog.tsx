import { Dialog } from "../ui/Dialog.tsx"
import { Field, Form } from "../ui/Form.tsx"
import { api, faultOf } from "./Client.ts"
import { IdentityProviderLink } from "./SignIn.tsx"

/** Asks for the operator's password before a change. */
export const PasswordDialog = ({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) => (
  <Dialog title="Confirme su contraseña" onClose={() => onAnswer(false)}>
    <p>Han pasado más de 10 minutos desde que escribió su contraseña. Confírmela para hacer el cambio.</p>
    <Form
      action="Confirmar"
      faultOf={faultOf}
      onSubmit={async ({ clave = "" }) => {
        await api.sesion.confirmar.mutate({ clave })
        onAnswer(true)
      }}
    >
      {(fault) => (
        <Field name="clave" label="Contraseña" type="password" required autocomplete="current-password" fault={fault} />
      )}
    </Form>
    <IdentityProviderLink />
  </Dialog>
)
