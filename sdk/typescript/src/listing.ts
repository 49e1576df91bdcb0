// A list of the API: awaited, it is one page; iterated, all items of all pages.

/** One page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[]
  /** Cursor of the next page; null on the last page. */
  readonly next_cursor?: string | null
}

/**
 * A list. `await` requests one page; `for await` requests all pages from there, one after the other, and yields their
 * items. Nothing is requested before.
 */
export class Listing<Whole extends Page<unknown>>
  implements PromiseLike<Whole>, AsyncIterable<Whole['data'][number]>
{
  readonly #request: (cursor: string | undefined) => Promise<Whole>
  readonly #cursor: string | undefined

  /** @param request requests the page at a cursor */
  constructor(request: (cursor: string | undefined) => Promise<Whole>, cursor: string | undefined) {
    this.#request = request
    this.#cursor = cursor
  }

  // biome-ignore lint/suspicious/noThenProperty: a list can be awaited
  then<Kept = Whole, Lost = never>(
    kept?: ((page: Whole) => Kept | PromiseLike<Kept>) | null,
    lost?: ((reason: unknown) => Lost | PromiseLike<Lost>) | null,
  ): Promise<Kept | Lost> {
    return this.#request(this.#cursor).then(kept, lost)
  }

  catch<Lost>(lost: (reason: unknown) => Lost | PromiseLike<Lost>): Promise<Whole | Lost> {
    return this.then(undefined, lost)
  }

  /** Yields the pages. */
  async *pages(): AsyncGenerator<Whole, void> {
    for (let cursor = this.#cursor; ; ) {
      const page = await this.#request(cursor)
      yield page
      const next = page.next_cursor ?? undefined
      // The last page of a list that can be followed has the same cursor again.
      if (next === undefined || next === cursor) return
      cursor = next
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Whole['data'][number], void> {
    for await (const { data } of this.pages()) yield* data as readonly Whole['data'][number][]
  }
}
