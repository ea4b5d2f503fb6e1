import { writeFileSync } from "node:fs"
import { insurancePage, pageFile } from "./InsurancePage.ts"

writeFileSync(pageFile, insurancePage())
