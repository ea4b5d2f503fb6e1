// Types of the parts of pg that the peer uses.
declare module "pg" {
  interface Result {
    // biome-ignore lint/suspicious/noExplicitAny: pg does not know the types of a row
    readonly rows: ReadonlyArray<any>
    readonly rowCount: number | null
  }
  interface Client {
    query(text: string, values?: ReadonlyArray<unknown>): Promise<Result>
  }
  class Pool implements Client {
    constructor(options: { readonly connectionString: string | undefined; readonly max: number })
    connect(): Promise<Client & { release(): void }>
    query(text: string, values?: ReadonlyArray<unknown>): Promise<Result>
  }
}
