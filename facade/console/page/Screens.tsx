import type { ComponentType } from "preact"
import type { OperatorAction } from "../../../core/domain/Operator.ts"
import type { PagePath } from "../Paths.ts"
import { AuditPage } from "./AuditPage.tsx"
import { CasePage } from "./CasePage.tsx"
import { CasesPage } from "./CasesPage.tsx"
import { CataloguePage } from "./CataloguePage.tsx"
import { ClosingPage } from "./ClosingPage.tsx"
import { ClosingsPage } from "./ClosingsPage.tsx"
import { CompaniesPage } from "./CompaniesPage.tsx"
import { CompanyPage } from "./CompanyPage.tsx"
import { InsurancesPage } from "./InsurancesPage.tsx"
import type { ScreenProps } from "./Navigation.tsx"
import { OperatorsPage } from "./OperatorsPage.tsx"
import { PanoramaPage } from "./PanoramaPage.tsx"
import { PendingPage } from "./PendingPage.tsx"
import { TransactionPage } from "./TransactionPage.tsx"
import { TransactionsPage } from "./TransactionsPage.tsx"
import { WebhooksPage } from "./WebhooksPage.tsx"

export interface Screen {
  readonly title: string
  readonly component: ComponentType<ScreenProps>
  /** Whether the navigation has a link to the page. A page about one item, such as one sale, has no link. */
  readonly isListed: boolean
  readonly action: OperatorAction
}

const listed = (title: string, component: ComponentType<ScreenProps>, action: OperatorAction = "read"): Screen => ({
  title,
  component,
  isListed: true,
  action
})

const single = (title: string, component: ComponentType<ScreenProps>): Screen => ({
  title,
  component,
  isListed: false,
  action: "read"
})

/** The pages behind the sign-in, in the order of the navigation. */
export const screens: Partial<Record<PagePath, Screen>> = {
  "/": listed("Panorama", PanoramaPage),
  "/transacciones": listed("Transacciones", TransactionsPage),
  "/transacciones/:id": single("Transacción", TransactionPage),
  "/pendientes": listed("Pendientes", PendingPage),
  "/empresas": listed("Empresas", CompaniesPage),
  "/empresas/:id": single("Empresa", CompanyPage),
  "/catalogo": listed("Catálogo", CataloguePage),
  "/cierres": listed("Cierres", ClosingsPage),
  "/cierres/:id": single("Cierre", ClosingPage),
  "/casos": listed("Casos", CasesPage),
  "/casos/:id": single("Caso", CasePage),
  "/seguros": listed("Seguros", InsurancesPage),
  "/webhooks": listed("Webhooks", WebhooksPage),
  "/auditoria": listed("Auditoría", AuditPage),
  "/operadores": listed("Operadores", OperatorsPage)
}
