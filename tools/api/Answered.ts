/** What a call was answered, whatever it was. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look wherever they like
  readonly body: any
}
