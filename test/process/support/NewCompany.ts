import { CommandLine } from "../../support/CommandLine.ts"

/** Creates a company in development, with this code and further flags. */
export const createCompany = (code: string, ...more: ReadonlyArray<string>) =>
  CommandLine.use(({ answer }) =>
    answer(
      ...["company", "create", "--razon-social", `${code}, S.R.L.`, "--codigo", code],
      ...["--ambiente", "development"],
      ...more
    )
  )
