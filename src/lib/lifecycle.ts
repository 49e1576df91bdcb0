// Starting in order, stopping in reverse.

/** Something that runs: what `start` opened, `stop` closes. Both may be called once. */
export interface Part {
  readonly name: string
  start?(): Promise<void> | void
  stop?(): Promise<void> | void
}

/**
 * Runs parts as one: `start` in the order they were added; `stop` in reverse, each even if another failed.
 * When a part fails to start, those already running are stopped and the failure is thrown.
 */
export class Lifecycle {
  #parts: Part[] = []
  #running: Part[] = []

  add(part: Part): void {
    this.#parts.push(part)
  }

  async start(): Promise<void> {
    for (const part of this.#parts) {
      try {
        await part.start?.()
      } catch (error) {
        await this.stop().catch(() => {})
        throw error
      }
      this.#running.push(part)
    }
  }

  async stop(): Promise<void> {
    const failures: unknown[] = []
    for (const part of this.#running.splice(0).reverse()) {
      try {
        await part.stop?.()
      } catch (error) {
        failures.push(new Error(`${part.name} did not stop`, { cause: error }))
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
