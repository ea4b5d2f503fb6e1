import { Schema } from "effect"

const matching = (form: RegExp) =>
  Schema.String.check(Schema.makeFilter((text) => form.test(text), { message: "invalido" }))

/** The eleven digits of an identity card. Contract: 4.6, step 1. */
export const Cedula = matching(/^\d{11}$/).pipe(Schema.brand("Cedula"))
export type Cedula = typeof Cedula.Type

/** Ten digits that begin with an area code of the country. Contract: 4.6, step 1. */
export const Phone = matching(/^8[024]9\d{7}$/).pipe(Schema.brand("Phone"))
export type Phone = typeof Phone.Type

/** A letter and five to seven digits, in upper case. Contract: 4.6, step 1. */
export const Plate = matching(/^[A-Z]\d{5,7}$/).pipe(Schema.brand("Plate"))
export type Plate = typeof Plate.Type

const hidden = "***"

/** `J*** P***`: the first letter of each name. */
export const maskName = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => `${[...word][0]}${hidden}`)
    .join(" ")

/** `809***1234`: the area and the last four digits. */
export const maskPhone = (phone: Phone): string => `${phone.slice(0, 3)}${hidden}${phone.slice(-4)}`

/** The last four characters, by which an owner recognizes the vehicle. */
export const maskChassis = (chassis: string): string => `${hidden}${chassis.slice(-4)}`
