import { assert, describe, it } from "@effect/vitest"
import { type Company, type CompanyFilter, companiesMatching } from "../../../core/domain/Company.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Rnc } from "../../../core/domain/Rnc.ts"

const company = (id: number, legalName: string, code: string, more: Partial<Company> = {}): Company => ({
  ...{ id: CompanyId.make(id), legalName, code, environment: "production", state: "activa" },
  ...{ apiEnabled: true, insuranceEnabled: false, cell: "cell" },
  ...more
})

const companies = [
  company(1, "Colmado Doña Ana, S.R.L.", "COL-ANA", { rnc: Rnc.make("101850043") }),
  company(2, "Farmacia San José", "FARMA", { state: "vip", environment: "development" }),
  company(13, "Ferretería 1", "FERRE", { state: "suspendida" })
]

describe("a search for companies", () => {
  it.each([
    [{}, [1, 2, 13]],
    [{ text: "  " }, [1, 2, 13]],
    [{ text: "dona ana" }, [1]],
    [{ text: "JOSÉ" }, [2]],
    [{ text: "farma" }, [2]],
    [{ text: "ferre" }, [13]],
    [{ text: "1-01-85" }, [1]],
    [{ text: "850043" }, []],
    [{ text: "13" }, [13]],
    // This text is the id of company 1 and part of the name of company 13.
    [{ text: "1" }, [1, 13]],
    [{ text: "-" }, [1]],
    [{ state: "vip" }, [2]],
    [{ environment: "production", text: "r" }, [1, 13]],
    [{ state: "activa", text: "ferre" }, []]
  ] as ReadonlyArray<readonly [CompanyFilter, ReadonlyArray<number>]>)("with %j finds %j", (filter, ids) => {
    assert.deepStrictEqual(
      companiesMatching(companies, filter).map(({ id }) => id as number),
      [...ids]
    )
  })
})
