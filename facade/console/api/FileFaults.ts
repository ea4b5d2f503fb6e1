/** The Spanish texts of faults in the files that operators send: catalogues and statements of providers. */

type FaultText = readonly [reason: RegExp, text: string]

const jsonFaults: Readonly<Record<string, string>> = {
  "close brace expected": "falta una llave «}»",
  "close bracket expected": "falta un corchete «]»",
  "colon expected": "faltan los dos puntos",
  "comma expected": "falta una coma",
  "end of file expected": "sobra texto al final",
  "invalid comment token": "no puede tener comentarios",
  "property name expected": "falta el nombre de un campo",
  "value expected": "falta un valor"
}

const pesosText = "Tiene que ser un monto de $1 a $2 pesos con 2 decimales como máximo"

/** The Spanish text for each reason that a file reader gives. `$1` in a text is the first group of the pattern. */
export const faultTexts: ReadonlyArray<FaultText> = [
  [/^Not CSV: .*$/s, "No es CSV válido en esta línea."],
  [/^The column (.+) is given twice$/, "La columna $1 está dos veces."],
  [/^Given twice$/, "Está dos veces."],
  [/^Required$/, "Hace falta este dato."],
  [/^Unknown field$/, "Este campo no existe."],
  [/^Expected text, not empty .*$/, "Tiene que ser un texto, no vacío y sin caracteres de control ni ocultos."],
  [/^Expected pesos from (\S+) to (\S+) .*; 0 means no bound$/, `${pesosText}; 0 significa sin límite.`],
  [/^Expected pesos from (\S+) to (\S+) .*$/, `${pesosText}.`],
  [/^Expected a value between (\d+) and (\d+)$/, "Tiene que estar entre $1 y $2."],
  [/^Expected a value greater than (\d+)$/, "Tiene que ser mayor que $1."],
  [/^Expected an integer$/, "Tiene que ser un número entero."],
  [/^Expected number$/, "Tiene que ser un número."],
  [/^Expected string$/, "Tiene que ser un texto."],
  [/^Expected boolean$/, "Tiene que ser true o false; en CSV, sí o no."],
  [/^Expected array$/, "Tiene que ser una lista."],
  [/^Expected object$/, "Tiene que ser un objeto."],
  [/^Expected (".+")$/, "Tiene que ser uno de estos valores: $1."],
  // Catalogues as CSV
  [/^The column entrada is missing$/, "Falta la columna entrada."],
  [/^The column entrada must be .*$/, "La columna entrada tiene que ser categoria, servicio o paquete."],
  [/^Unknown column (.*)$/, "La columna «$1» no existe."],
  [/^The row has more cells than the header$/, "La fila tiene más celdas que el encabezado."],
  // Entries of a catalogue
  [/^is already used by an earlier entry$/, "Una entrada anterior ya lo tiene."],
  [/^is already used by an earlier package on sale$/, "Un paquete anterior que está a la venta ya lo tiene."],
  [/^is not the id of a category in this file$/, "Ninguna categoría del archivo tiene este id."],
  [/^is not the id of a service in this file$/, "Ningún servicio del archivo tiene este id."],
  [/^is not (.+), the name of category (\d+)$/, "La categoría $2 se llama «$1»."],
  [/^is a service that sells no packages.*$/, "Este servicio no vende paquetes, porque su flujo no es paquetes."],
  [/^is below the minimum; 0 means no bound$/, "Es menor que el mínimo; 0 significa sin límite."],
  [/^must be false, because insurance .*$/, "Tiene que ser false, porque un seguro no se anula."],
  [/^must be seguros for .*$/, "Tiene que ser seguros si el tipo es insurance, y solo entonces."],
  [
    /^cannot be true: .*$/,
    "No puede ser true: solo los flujos paquetes y facturas llevan una consulta antes de la venta."
  ],
  // Statements of providers
  [
    /^There is no column with ids \((.+) or (.+)\).*$/,
    "Falta una columna con los números: $1 o $2. Indique su nombre."
  ],
  [/^There is no column with amounts \((.+)\).*$/, "Falta una columna con los montos: $1. Indique su nombre."],
  [/^There is no column (.+)$/, "La columna «$1» no está en el archivo."],
  [/^The line has (\d+) cells, but the header has (\d+)$/, "La línea tiene $1 celdas, pero el encabezado tiene $2."],
  [/^is empty$/, "Está vacío."],
  [/^is not an id$/, "No es un número de venta."],
  [/^(".*") is not a known status$/s, "$1 no es un estado conocido."],
  [/^(".*") is not an amount$/s, "$1 no es un monto."],
  [/^(".*") has more than two decimals$/s, "$1 tiene más de 2 decimales."],
  [/^(".*") can be read in two ways: write (\S+) or (\S+)$/s, "$1 se puede leer de dos formas: escriba $2 o $3."],
  [/^(".*") is not a date$/s, "$1 no es una fecha."]
]

const jsonText = (reason: string): string | undefined => {
  const [, fault] = /^Not JSON: (.*)$/.exec(reason) ?? []
  if (fault === undefined) return undefined
  const text = jsonFaults[fault]
  return text === undefined ? "No es JSON válido en este lugar." : `No es JSON válido: ${text}.`
}

/** The Spanish text of a fault. Undefined for a reason that no reader gives. */
export const knownFaultText = (reason: string): string | undefined => {
  const known = jsonText(reason)
  if (known !== undefined) return known
  const found = faultTexts.find(([pattern]) => pattern.test(reason))
  return found === undefined ? undefined : reason.replace(...found)
}

/** The Spanish text of a fault in a file. */
export const faultText = (reason: string): string => knownFaultText(reason) ?? "No es válido."

/** The Spanish name of a place in a file. */
export const faultPlace = (place: string): string => (place === "the file" ? "el archivo" : place)
