import { writeFileSync } from "node:fs"
import { licencesFile, licencesPage } from "./LicencesPage.ts"

writeFileSync(licencesFile, licencesPage())
