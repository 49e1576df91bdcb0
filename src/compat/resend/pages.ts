// Lists in the form of Resend: `limit`, and `after` or `before` with the ID of an item.

import { type IdPrefix, idOfUuid } from '../../lib/ids.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'

const USUAL = 20
const MOST = 100
/** Size of the pages that are read for `before`, and the number of items that are read at most. */
const LONG_PAGE = 200
const MAX_READ = 2_000

/** A page of a list under `/v1`. */
interface Listed<Item> {
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

/** A list under `/v1`, newest first. */
export interface ListSource<Item> {
  /** Operation that lists the items, such as `messages.list`. */
  readonly operation: string
  /** Query parameters of the operation, in addition to those of the page. */
  readonly filter?: Readonly<Record<string, string>>
  /** Prefix of the IDs, which are the cursors of the list. */
  readonly prefix: IdPrefix
  idOf(item: Item): string
  view(item: Item): object
  /** Returns true for an item of the list; undefined for all items. */
  isListed?(item: Item): boolean
  /** True if the cursors of the list are no IDs, so that the whole list is read. */
  isShort?: boolean
}

const NAMES = new FieldNames('limit', 'after', 'before', 'origin')

/** Returns a page of a list. */
export async function pageOf<Item>(translation: Translation, source: ListSource<Item>): Promise<object> {
  const { reading } = translation
  const query = translation.query(NAMES)
  const limit = query.integer('limit') ?? USUAL
  if (limit < 1 || limit > MOST) reading.wrong('limit', 'invalid_value', `limit is 1 to ${MOST}.`)
  const idIn = (name: 'after' | 'before'): string | undefined => {
    const text = query.text(name)
    const id = text === undefined ? undefined : idOfUuid(source.prefix, text)
    if (text !== undefined && id === undefined) reading.wrong(name, 'invalid_id', 'Give the ID of an item.')
    return id
  }
  const [after, before] = [idIn('after'), idIn('before')]
  if (after !== undefined && before !== undefined) {
    reading.wrong('before', 'not_together', 'Give either after or before.')
  }
  translation.check()
  const { items, hasMore } =
    before === undefined
      ? await itemsAfter(translation, source, limit, after)
      : await itemsBefore(translation, source, limit, before)
  return { object: 'list', has_more: hasMore, data: items.map(source.view) }
}

interface Items<Item> {
  readonly items: readonly Item[]
  readonly hasMore: boolean
}

/** Reads one page of a list under `/v1`. */
async function readPage<Item>(
  translation: Translation,
  { operation, filter }: ListSource<Item>,
  limit: number,
  cursor: string | undefined,
): Promise<Listed<Item>> {
  const query = { limit, ...(cursor === undefined ? {} : { cursor }), ...filter }
  return (await translation.v1<Listed<Item>>(operation, { query })).body
}

async function itemsAfter<Item>(
  translation: Translation,
  source: ListSource<Item>,
  limit: number,
  after: string | undefined,
): Promise<Items<Item>> {
  if (source.isShort || source.isListed !== undefined) {
    const found: Item[] = []
    let isAfter = after === undefined
    for await (const item of eachItem(translation, source)) {
      if (isAfter) found.push(item)
      if (source.idOf(item) === after) isAfter = true
      if (found.length > limit) break
    }
    return { items: found.slice(0, limit), hasMore: found.length > limit }
  }
  const { data, next_cursor } = await readPage(translation, source, limit, after)
  return { items: data, hasMore: next_cursor !== null }
}

/** Returns the items directly before an item, in the order of the list; no items if the item is too far away. */
async function itemsBefore<Item>(
  translation: Translation,
  source: ListSource<Item>,
  limit: number,
  before: string,
): Promise<Items<Item>> {
  const found: Item[] = []
  for await (const item of eachItem(translation, source)) {
    if (source.idOf(item) === before) return { items: found.slice(-limit), hasMore: found.length > limit }
    found.push(item)
  }
  return { items: [], hasMore: false }
}

/** Yields the items of a list, up to `MAX_READ` items. */
async function* eachItem<Item>(translation: Translation, source: ListSource<Item>): AsyncGenerator<Item> {
  const { isListed = () => true } = source
  let cursor: string | undefined
  for (let read = 0; read < MAX_READ; read += LONG_PAGE) {
    const page = await readPage(translation, source, LONG_PAGE, cursor)
    yield* page.data.filter(isListed)
    if (page.next_cursor === null) return
    cursor = page.next_cursor
  }
}
