import { writeFileSync } from "node:fs"
import { bill, billFile } from "./BillOfMaterials.ts"

writeFileSync(billFile, `${JSON.stringify(bill(), null, 2)}\n`)
