import { Schema } from "effect"

/**
 * A phone number in international format (E.164). The country is in the North American numbering plan, so the prefix is
 * +1.
 */
export const e164 = (phone: string): string => `+1${phone}`

const matching = (form: RegExp) =>
  Schema.String.check(Schema.makeFilter((text) => form.test(text), { message: "invalido" }))

/** Identity card number: eleven digits. Contract: 4.6, step 1. */
export const Cedula = matching(/^\d{11}$/).pipe(Schema.brand("Cedula"))
export type Cedula = typeof Cedula.Type

/** Dominican phone number: ten digits, area code 809, 829 or 849. Contract: 4.6, step 1. */
export const Phone = matching(/^8[024]9\d{7}$/).pipe(Schema.brand("Phone"))
export type Phone = typeof Phone.Type

/** Vehicle plate: a letter and five to seven digits, in upper case. Contract: 4.6, step 1. */
export const Plate = matching(/^[A-Z]\d{5,7}$/).pipe(Schema.brand("Plate"))
export type Plate = typeof Plate.Type

const hidden = "***"

/** Shows only the first letter of each name: `J*** P***`. */
export const maskName = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => `${[...word][0]}${hidden}`)
    .join(" ")

/** Shows only the area code and the last four digits: `809***1234`. */
export const maskPhone = (phone: Phone): string => `${phone.slice(0, 3)}${hidden}${phone.slice(-4)}`

/** Shows only the last four characters of the chassis number. */
export const maskChassis = (chassis: string): string => `${hidden}${chassis.slice(-4)}`
