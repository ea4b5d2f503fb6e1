import type { Reporter, TestCase, TestModule } from "vitest/node"

/** Vitest reporter that prints progress on stderr, and the result as one JSON document on stdout. */
export default class TestReport implements Reporter {
  #files = 0
  #ended = 0
  #passed = 0
  readonly #failed: Array<string> = []

  onTestRunStart(files: ReadonlyArray<unknown>): void {
    this.#files = files.length
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result()
    if (state === "passed") this.#passed++
    if (state === "failed") this.#failed.push(test.fullName)
    process.stderr.write(`${state}: ${test.fullName}\n`)
  }

  onTestModuleEnd(file: TestModule): void {
    this.#ended++
    for (const { message } of file.errors()) this.#failed.push(message)
    const percent = Math.floor((100 * this.#ended) / this.#files)
    process.stderr.write(`${String(percent).padStart(3)} %  ${this.#ended} of ${this.#files} files\n`)
  }

  onTestRunEnd(_: unknown, errors: ReadonlyArray<{ readonly message: string }>): void {
    const failed = [...this.#failed, ...errors.map(({ message }) => message)]
    process.stdout.write(`${JSON.stringify({ files: this.#files, passed: this.#passed, failed })}\n`)
  }
}
