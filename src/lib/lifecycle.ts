// Starts parts in order, and stops them in reverse order.

/** A part of the node: `stop` closes the resources that `start` opened. Each of the two methods is called once. */
export interface Part {
  readonly name: string
  start?(): Promise<void> | void
  stop?(): Promise<void> | void
}

/** The running parts of a node. */
export class Lifecycle {
  readonly #running: Part[] = []

  /** Starts a part. A failed start stops all running parts and throws the failure. */
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

  /** Stops all parts in reverse order of their start, even if a part fails; throws the first failure at the end. */
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

/** Runs steps one after another, even if a step fails; throws the first failure at the end. */
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
