// Has the OpenAPI document and the reference made in a thread: it takes a quarter of a second and a hundred modules that
// nothing else needs, and all of that is gone with the thread.

import { WorkerThread } from '../threads/worker-thread.ts'
import type { DescribedRoute, ReferenceJobs, ReferenceResult } from './reference-thread.ts'

/** Of the heap of the thread. */
const HEAP_MB = 256

/** The documents of one server, made when one of them is first asked for, since all routes are known only then. */
export class ReferenceDocuments {
  readonly #routes: readonly DescribedRoute[]
  readonly #url: () => string
  #made: Promise<ReferenceResult> | undefined
  #thread: WorkerThread<ReferenceJobs> | undefined

  /** @param url base of the server */
  constructor(routes: readonly DescribedRoute[], url: () => string) {
    this.#routes = routes
    this.#url = url
  }

  /** Both documents. Rejects when they could not be made; the next call tries again. */
  made(): Promise<ReferenceResult> {
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined
      throw error
    })
    return this.#made
  }

  /** Ends the work under way. */
  async stop(): Promise<void> {
    await this.#thread?.end()
  }

  async #make(): Promise<ReferenceResult> {
    const thread = new WorkerThread<ReferenceJobs>(new URL('./reference-thread.ts', import.meta.url), HEAP_MB)
    this.#thread = thread
    try {
      await thread.ready
      // As text: of the schemas only that is documented which JSON has.
      const job = { routes: JSON.stringify(this.#routes), url: this.#url() }
      const answer = await thread.run({ kind: 'make', job }, [])
      if (answer.kind !== 'done') throw new Error(`the documents were not made: ${answer.reason}`)
      return answer.result
    } finally {
      this.#thread = undefined
      await thread.end()
    }
  }
}
