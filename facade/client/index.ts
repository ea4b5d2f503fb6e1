export { createClient, type SaldoClient } from "./Client.ts"
export type { CallOptions, ClientOptions } from "./Connection.ts"
export {
  type DetailsOf,
  type ErrorCode,
  isSaldoError,
  isSaldoNetworkError,
  SaldoError,
  SaldoNetworkError
} from "./Errors.ts"
export type { Input, Output } from "./Procedures.ts"
export type { Delivered, Failed, Pending, SaleOptions, SaleResult } from "./Vender.ts"
// In the built package, Wire.ts also exports the types of requests and responses, such as Transaccion.
export type * from "./Wire.ts"
