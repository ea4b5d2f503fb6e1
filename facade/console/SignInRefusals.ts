import type { PasswordRefused, SignInError } from "../../core/domain/SignInErrors.ts"
import { conflict, forbidden, invalid, missing, type Refusal, tooMany, unauthorized } from "./Refusal.ts"

const passwordMessages: { readonly [Why in PasswordRefused["why"]]: string } = {
  short: "La contraseña necesita al menos 12 caracteres.",
  long: "La contraseña puede tener 200 caracteres como máximo.",
  simple: "La contraseña repite muy pocos caracteres distintos.",
  name: "La contraseña no puede contener su nombre."
}

/** The refusal for each error that a call about accounts, or a sign-in, may return. A missing entry is a compile error. */
export const signInRefusals: {
  readonly [Tag in SignInError["_tag"]]: (error: Extract<SignInError, { _tag: Tag }>) => Refusal
} = {
  OperatorNameTaken: ({ name }) =>
    conflict("NOMBRE_EN_USO", `Ya hay un operador con el nombre ${name}.`, { nombre: "en_uso" }),
  OperatorEmailTaken: ({ email }) =>
    conflict("CORREO_EN_USO", `Ya hay un operador con el correo ${email}.`, { correo: "en_uso" }),
  UnknownOperator: ({ name }) => missing("OPERADOR_NO_EXISTE", `No hay un operador con el nombre ${name}.`),
  LastAdmin: ({ name }) =>
    conflict(
      "ULTIMO_ADMIN",
      `${name} es el único admin activo. Sin esta cuenta, nadie podría administrar operadores. Nombre antes a otro admin.`
    ),
  NotOwnAccount: ({ name }) => forbidden("CUENTA_AJENA", `Solo ${name} puede crear el token de su cuenta.`),
  InvitationRefused: () =>
    missing("ENLACE_INVALIDO", "Este enlace no existe, venció o ya se usó. Pida uno nuevo a un admin."),
  CodeRefused: () =>
    invalid(
      "CODIGO_INCORRECTO",
      "El código no corresponde. Revise la hora del teléfono y escriba el código que muestra ahora.",
      {
        codigo: "invalido"
      }
    ),
  PasswordRefused: ({ why }) => invalid("CLAVE_RECHAZADA", passwordMessages[why], { clave: passwordMessages[why] }),
  SignInRefused: () => unauthorized("ENTRADA_RECHAZADA", "El nombre, la contraseña o el código no son correctos."),
  TooManyAttempts: ({ seconds }) =>
    tooMany("DEMASIADOS_INTENTOS", `Demasiados intentos. Espere ${Math.ceil(seconds / 60)} min y repita.`, {
      segundos: seconds
    }),
  SignedOut: () => unauthorized("SIN_SESION", "La sesión terminó. Entre de nuevo."),
  IdentityRefused: ({ reason }) =>
    unauthorized("IDENTIDAD_RECHAZADA", `El proveedor de identidad no confirmó quién entra: ${reason}`)
}
