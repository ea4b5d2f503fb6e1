/** The tag and the facts of an error. `assert.deepStrictEqual` itself would not look at them. */
export const factsOf = (error: { readonly _tag: string }): object => ({ ...error })
