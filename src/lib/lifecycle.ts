// Starting in order, stopping in reverse.

/** Something that runs: what `start` opened, `stop` closes. Both are called once. */
export interface Part {
  readonly name: string
  start?(): Promise<void> | void
  stop?(): Promise<void> | void
}

/** Parts that run together. */
export class Lifecycle {
  readonly #running: Part[] = []

  /** Starts a part. When it fails, those already running are stopped and the failure is thrown. */
  async start<P extends Part>(part: P): Promise<P> {
    try {
      await part.start?.()
    } catch (error) {
      await this.stop().catch(() => {})
      throw error
    }
    this.#running.push(part)
    return part
  }

  /** Stops all, the last started first, each even if another failed; throws the first failure at the end. */
  async stop(): Promise<void> {
    const stopping = this.#running.splice(0).reverse()
    await eachOf(
      stopping.map((part) => async () => {
        try {
          await part.stop?.()
        } catch (error) {
          throw new Error(`${part.name} did not stop`, { cause: error })
        }
      }),
    )
  }
}

/** Does one after the other, each even if another failed; throws the first failure at the end. */
export async function eachOf(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
