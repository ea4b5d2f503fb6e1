// Types of the parts of autocannon that the benchmark uses.
declare module "autocannon" {
  interface Request {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  interface Options {
    readonly url: ReadonlyArray<string>
    readonly connections: number
    readonly duration: number
    readonly requests: ReadonlyArray<{ readonly setupRequest: () => Request }>
  }
  interface Result {
    readonly duration: number
    readonly non2xx: number
    readonly errors: number
  }
  interface Instance {
    on(event: "response", listener: (client: unknown, status: number, bytes: number, took_ms: number) => void): this
    stop(): void
  }
  export default function autocannon(options: Options, done: (error: Error | null, result: Result) => void): Instance
}
