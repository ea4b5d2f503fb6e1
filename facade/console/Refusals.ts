import { Data, Predicate } from "effect"
import { isCoreError, toPublic } from "../../core/domain/ErrorCatalogue.ts"
import type { CoreError } from "../../core/domain/Errors.ts"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { owned_max, toPesos } from "../../core/domain/Money.ts"
import { lowestRole } from "../../core/domain/Operator.ts"
import type {
  Confirmation,
  FundingNotDecidable,
  NotAskable,
  NotConfirmable,
  NotResolvable,
  OperatorError
} from "../../core/domain/OperatorErrors.ts"
import { conflict, forbidden, invalid, missing, type Refusal, type RefusalKind, unauthorized } from "./Refusal.ts"
import { signInRefusals } from "./SignInRefusals.ts"

const admissions = {
  no_session: unauthorized("SIN_SESION", "La sesión terminó. Entre de nuevo."),
  foreign_origin: forbidden("ORIGEN_AJENO", "El cambio no viene de una página de esta consola."),
  wrong_token: forbidden("FICHA_INVALIDA", "La página pertenece a otra sesión. Recárguela y repita el cambio."),
  old_password: unauthorized("CONFIRME_CLAVE", "Confirme su contraseña para hacer el cambio.")
}

/** The console refuses to run the procedure for this caller. */
export class NotAdmitted extends Data.TaggedError("NotAdmitted")<{ readonly why: keyof typeof admissions }> {}

/** The errors with which a procedure may fail. */
export type ConsoleError = OperatorError | CoreError | NotAdmitted

const confirmedText = (confirmation: Confirmation | undefined): string =>
  confirmation === undefined ? "" : ` ${confirmation.by} confirmó la propuesta el ${formatLocal(confirmation.at)}.`

const notResolvableMessages: { readonly [Why in NotResolvable["why"]]: string } = {
  settled: "La transacción ya está resuelta.",
  reversal: "Falta saber cómo terminó la anulación: proponga «anulada» o «no anulada».",
  unsettled: "Falta saber cómo terminó la venta: proponga «exitosa» o «fallida».",
  no_reversal: "La transacción no tiene una anulación sin resolver.",
  young: "La venta tiene menos de 15 minutos; todavía puede resolverse sola.",
  young_reversal: "La anulación tiene menos de 15 minutos; todavía puede resolverse sola.",
  no_validity: "Es una póliza: indique el primer y el último día de su vigencia.",
  validity: "No es una póliza: no indique una vigencia.",
  ends_before: "La vigencia no puede terminar antes de empezar.",
  no_token: "Es electricidad: indique los 20 dígitos que el cliente escribe en el medidor.",
  token: "No es electricidad: no indique los dígitos del medidor.",
  confirmed: "Ya hay una propuesta confirmada, pero la transacción sigue sin resolver. Confírmela otra vez."
}

const notConfirmableMessages: { readonly [Why in NotConfirmable["why"]]: string } = {
  no_proposal: "La transacción no tiene una propuesta.",
  no_account: "Solo un operador con cuenta puede confirmar. Invite a dos operadores en /operadores.",
  same_operator: "Usted hizo esta propuesta. Tiene que confirmarla otro operador.",
  changed: "Hay una propuesta más reciente. Revísela antes de confirmar.",
  outdated: "La propuesta es de una anulación anterior, que ya terminó. Haga otra propuesta.",
  not_asked: "No se pudo preguntar al proveedor o a la aseguradora, porque no acepta llamadas desde aquí.",
  confirmed: "Otro operador ya confirmó la propuesta."
}

const notAskableMessages: { readonly [Why in NotAskable["why"]]: string } = {
  young: "La venta tiene menos de un minuto y su llamada puede seguir en curso. No se preguntó nada.",
  reversed: "La venta está anulada. No hay nada que preguntar.",
  unreachable: "No se pudo preguntar, porque ningún proveedor ni aseguradora acepta llamadas desde aquí."
}

const fundingMessages: { readonly [Why in FundingNotDecidable["why"]]: string } = {
  no_account: "Solo un operador con cuenta puede confirmar. Invite a dos operadores en /operadores.",
  same_operator: "Usted hizo esta propuesta. Tiene que confirmarla otro operador.",
  confirmed: "La propuesta ya está confirmada.",
  rejected: "La propuesta está rechazada.",
  expired: "La propuesta venció a las 24 horas. Haga otra.",
  reference_used: "Otro movimiento ya usó la referencia. Revíselo y rechace la propuesta."
}

type Table = { readonly [Tag in OperatorError["_tag"]]: (error: Extract<OperatorError, { _tag: Tag }>) => Refusal }

/** The refusal of each error. A missing entry is a compile error. */
const refusals: Table = {
  ...signInRefusals,
  NotAllowed: ({ action, role }) =>
    forbidden("SIN_PERMISO", `Su rol (${role}) no permite esta acción. La permite el rol ${lowestRole[action]}.`),
  CompanyClosed: () =>
    conflict("EMPRESA_CERRADA", "La empresa está cerrada, o su servidor no responde. Espere y repita."),
  UnknownCell: ({ name }) => missing("CELDA_NO_EXISTE", `La celda ${name} no existe.`),
  CellNotOpen: () => conflict("CELDA_CERRADA", "No hay una celda abierta para la empresa. No se creó."),
  CompanyMoving: ({ companyId }) =>
    conflict("EMPRESA_EN_TRASLADO", `La empresa ${companyId} se traslada a otra celda.`),
  CellMoving: ({ name }) => conflict("CELDA_EN_TRASLADO", `La celda ${name} se traslada a otro servidor.`),
  CellNotMoved: ({ name }) => conflict("CELDA_NO_TRASLADADA", `La celda ${name} no se trasladó.`),
  CellsUnreachable: ({ node }) =>
    conflict("SERVIDOR_NO_DISPONIBLE", `No se puede trasladar nada desde o hacia el servidor ${node}.`),
  CellNameTaken: ({ name }) => conflict("CELDA_EXISTE", `La base de datos ya tiene un esquema ${name}.`),
  CellNotAdded: ({ name }) => conflict("CELDA_NO_CREADA", `La celda ${name} no se creó.`),
  UnknownCompany: ({ companyId }) => missing("EMPRESA_NO_EXISTE", `La empresa ${companyId} no existe.`),
  CodeTaken: ({ code }) => conflict("CODIGO_EN_USO", `El código ${code} es de otra empresa.`, { codigo: "en_uso" }),
  UnknownToken: ({ tokenId }) => missing("TOKEN_NO_EXISTE", `El token ${tokenId} no existe.`),
  TokenRevoked: ({ tokenId }) =>
    conflict("TOKEN_REVOCADO", `El token ${tokenId} está revocado para siempre. Emita otro.`),
  UnknownWebhook: ({ webhookId }) => missing("WEBHOOK_NO_EXISTE", `El webhook ${webhookId} no existe.`),
  UnknownCase: ({ caseId }) => missing("CASO_NO_EXISTE", `El caso ${caseId} no existe.`),
  CaseClosed: ({ caseId }) => conflict("CASO_CERRADO", `El caso ${caseId} ya está cerrado.`),
  StatementWithoutDates: () =>
    invalid("EXTRACTO_SIN_FECHAS", "El extracto no tiene fechas: indique los días que debe comparar."),
  DayNotOver: ({ day }) => invalid("DIA_SIN_TERMINAR", `El día ${day} no ha terminado.`),
  UnknownService: ({ serviceId }) => missing("SERVICIO_NO_EXISTE", `El servicio ${serviceId} no existe.`),
  CategoryNameTaken: () =>
    conflict("CATEGORIA_EN_USO", "Una categoría que no está en el archivo ya tiene el nombre de una del archivo."),
  PackageCodeTaken: ({ code, otherPackageId, packageId, serviceId }) =>
    conflict(
      "PAQUETE_EN_USO",
      `El paquete ${packageId} tiene el código ${code} del paquete ${otherPackageId}, que vende el servicio ${serviceId} y no está en el archivo.`
    ),
  UnknownTransaction: ({ transactionId }) =>
    missing("TRANSACCION_NO_EXISTE", `La transacción ${transactionId} no existe.`),
  UnknownSale: ({ text }) => missing("TRANSACCION_NO_EXISTE", `Ninguna venta tiene el número o xid ${text}.`),
  PageTooDeep: ({ rows_max }) =>
    invalid("PAGINA_MUY_LEJANA", `La lista muestra las primeras ${rows_max} filas. Elija una empresa o menos días.`, {
      page: "fuera_de_rango"
    }),
  TooManyDays: ({ days_max }) =>
    invalid("DEMASIADOS_DIAS", `Sin una empresa se listan a lo sumo ${days_max} días.`, { desde: "fuera_de_rango" }),
  UnreadableTransaction: ({ transactionId }) =>
    conflict(
      "TRANSACCION_ILEGIBLE",
      `Esta versión no conoce el formato de la transacción ${transactionId}. Nada cambió y su monto sigue retenido.`
    ),
  ReferenceTaken: ({ asked, recorded, reference }) =>
    conflict(
      "REFERENCIA_USADA",
      `La referencia ${reference} ya está registrada con otro monto. Corrija el monto o la referencia.`,
      { monto_registrado: toPesos(recorded), monto: toPesos(asked) }
    ),
  ReferenceElsewhere: ({ otherCompanyId, reference }) =>
    conflict(
      "REFERENCIA_DE_OTRA_EMPRESA",
      `Un depósito de la empresa ${otherCompanyId} tiene la referencia ${reference}. Revise la empresa y la referencia.`,
      { otra_empresa_id: otherCompanyId }
    ),
  ReferenceProposed: ({ asked, number, proposed, reference }) =>
    conflict("REFERENCIA_PROPUESTA", `La propuesta ${number} tiene la referencia ${reference} con otro monto.`, {
      propuesta: number,
      monto_propuesto: toPesos(proposed),
      monto: toPesos(asked)
    }),
  UnknownFunding: ({ number }) => missing("PROPUESTA_NO_EXISTE", `La propuesta ${number} no existe.`),
  FundingNotDecidable: ({ decision, number, why }) =>
    conflict(
      "PROPUESTA_NO_DECIDIBLE",
      `${fundingMessages[why]}${decision === undefined ? "" : ` La decidió ${decision.by} el ${formatLocal(decision.at)}.`}`,
      { propuesta: number, motivo: why }
    ),
  AdjustmentTooLarge: ({ available }) =>
    invalid(
      "AJUSTE_DEMASIADO_GRANDE",
      `El saldo disponible es de ${toPesos(available)} pesos, y no alcanza para el ajuste. Nada cambió.`,
      { monto: "fuera_de_rango" }
    ),
  DepositTooLarge: () =>
    invalid("DEPOSITO_DEMASIADO_GRANDE", `El saldo de una empresa no puede pasar de ${toPesos(owned_max)} pesos.`, {
      monto: "fuera_de_rango"
    }),
  NotResolvable: ({ confirmation, status, why }) =>
    conflict("NO_RESOLUBLE", notResolvableMessages[why] + confirmedText(confirmation), { estado: status, motivo: why }),
  NotConfirmable: ({ confirmation, why }) =>
    conflict("NO_CONFIRMABLE", notConfirmableMessages[why] + confirmedText(confirmation), { motivo: why }),
  NotAskable: ({ why }) => conflict("NO_PREGUNTADA", notAskableMessages[why], { motivo: why }),
  SupplierDisagrees: ({ said }) =>
    conflict("PROVEEDOR_CONTRADICE", `El proveedor respondió ${said}, que contradice la propuesta. Nada cambió.`)
}

const isOperatorError = (error: unknown): error is OperatorError =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && Object.hasOwn(refusals, error._tag)

const kinds: Readonly<Record<number, RefusalKind>> = {
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  429: "TOO_MANY_REQUESTS"
}

/** The refusal of an error. Undefined for a defect. */
export const refusalOf = (error: unknown): Refusal | undefined => {
  if (error instanceof NotAdmitted) return admissions[error.why]
  if (isOperatorError(error)) return (refusals[error._tag] as (error: OperatorError) => Refusal)(error)
  if (!isCoreError(error)) return undefined
  const { code, details, message, status } = toPublic(error)
  return { kind: kinds[status] ?? "UNPROCESSABLE_CONTENT", code, message, ...(details && { details }) }
}
