import { Effect, Result, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { faultPlace, faultText, faultTexts, knownFaultText } from "../../facade/console/api/FileFaults.ts"
import { readCsvFile } from "../../facade/settings/CatalogueCsv.ts"
import { readCatalogue } from "../../facade/settings/CatalogueFile.ts"
import { readJsonFile } from "../../facade/settings/JsonFile.ts"
import { readStatement } from "../../facade/settings/StatementCsv.ts"
import { category, paquete, service, withPackages } from "../process/support/CatalogueFiles.ts"

const jsonReasons = (content: string | object) =>
  readCatalogue(readJsonFile(typeof content === "string" ? content : JSON.stringify(content)))

const csvReasons = (content: string) => Effect.flatMap(readCsvFile(content), readCatalogue)

const statementReasons = (text: string, mapping: ReadonlyMap<"xid", string> = new Map()) =>
  Stream.runDrain(readStatement({ source: { text }, provider: "simulador", mapping }))

const withService = (fields: object) => ({ categorias: [category], servicios: [{ ...service, ...fields }] })

const line = "xid,status,amount,date\n"

/** Files with every fault that the readers know. */
const faulty = [
  ...["{", '{"a" 1}', "{} {}", "[1 2]", '{"a": /* */ 1}', "{a: 1}", '{"a": }', '{"categorias": [', "\u0000"].map(
    jsonReasons
  ),
  ...["[]", '{"categorias": 9, "servicios": []}', '{"categorias": [], "categorias": []}'].map(jsonReasons),
  jsonReasons({
    categorias: [
      { id: 0, nombre: "" },
      { id: 1.5, nombre: 3 },
      { ...category, otro: 1 }
    ],
    servicios: []
  }),
  jsonReasons(withService({ id: -1, tipo: "lottery", monto_minimo: 1.005, acepta_anulacion: "x", categoria_id: "x" })),
  jsonReasons(withService({ categoria: "Otra", categoria_id: category.id, monto_maximo: 5 })),
  jsonReasons(withService({ tipo: "insurance", flujo: "facturas", acepta_anulacion: true })),
  jsonReasons(withService({ requiere_consulta: true, categoria_id: 77 })),
  jsonReasons({ categorias: [category], servicios: [service, service] }),
  jsonReasons(withPackages(paquete, { ...paquete, id: 91 }, { ...paquete, id: 92, precio: 1.005, codigo: "x" })),
  jsonReasons(withPackages({ ...paquete, service_id: 22 }, { ...paquete, id: 91, service_id: 20 })),
  ...['entrada\n"x', "id\n1\n", "entrada,otra,id,id\n", "entrada,id\notra,1\n", "entrada\ncategoria,1\n"].map(
    csvReasons
  ),
  ...["a,b\n1,2\n", "xid,xid,amount\n", "xid,status\n", `${line}R,SUCCESS,1\n`, 'xid,amount\n"x'].map((text) =>
    statementReasons(text)
  ),
  statementReasons("a,amount\n", new Map([["xid", "Referencia"]])),
  statementReasons(
    line +
      [",SUCCESS,1,2026-01-31", "\u200b,SUCCESS,1,2026-01-31", "R,otro,1,2026-01-31", "R,SUCCESS,x,2026-01-31"]
        .concat(["R,SUCCESS,1.234,2026-01-31", "R,SUCCESS,0.001,2026-01-31", "R,SUCCESS,1,31"])
        .join("\n")
  )
]

const reasonsIn = async (file: (typeof faulty)[number]): Promise<ReadonlyArray<string>> => {
  const read = await Effect.runPromise(
    Effect.result(file as Effect.Effect<unknown, { faults: ReadonlyArray<{ reason: string }> }>)
  )
  if (Result.isSuccess(read)) throw new Error("a file without faults")
  return read.failure.faults.map(({ reason }) => reason)
}

describe("a fault in a file", () => {
  it("has a Spanish text, whichever fault the file readers report", async () => {
    const reasons = (await Promise.all(faulty.map(reasonsIn))).flat()
    expect(reasons.filter((reason) => knownFaultText(reason) === undefined)).toEqual([])
    const unused = faultTexts.filter(([pattern]) => !reasons.some((reason) => pattern.test(reason)))
    expect(unused).toEqual([])
  })

  it.each([
    ["Not JSON: comma expected", "No es JSON válido: falta una coma."],
    ["Not JSON: invalid character", "No es JSON válido en este lugar."],
    ["Expected a value between 1 and 9", "Tiene que estar entre 1 y 9."],
    ["is not Pagos, the name of category 9", "La categoría 9 se llama «Pagos»."],
    [
      '"1.234" can be read in two ways: write 1.00 or 1234.00',
      '"1.234" se puede leer de dos formas: escriba 1.00 o 1234.00.'
    ],
    ["Something new", "No es válido."]
  ])("%j is shown as %j", (reason, text) => {
    expect(faultText(reason)).toBe(text)
  })

  it("names the whole file or one entry as its place", () => {
    expect(["the file", "servicios[0].id"].map(faultPlace)).toEqual(["el archivo", "servicios[0].id"])
  })
})
