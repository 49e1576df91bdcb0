// Mailgun's suppression lists: bounces, unsubscribes and complaints. There is no allow list.

import { isAddress, parseAddress } from '../../model/address.ts'
import { invalidFields, Problem } from '../../model/problem.ts'
import { type SuppressionReason, WHOLE_DOMAIN } from '../../model/suppression.ts'
import { readSuppressions } from '../../streams/suppression-csv.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { baseUrlOf, enterDomain, formOf, objectOf, pageQuery } from './domain.ts'
import { mailgunTime } from './times.ts'

/** A list, with the reasons of its suppressions; new addresses get the first reason. */
interface List {
  readonly name: 'bounces' | 'unsubscribes' | 'complaints'
  readonly reasons: readonly [SuppressionReason, ...SuppressionReason[]]
  /** Response to the removal of an address, and of all addresses. */
  readonly removed: string
  readonly emptied: string
  view(row: Row): object
}

/** A suppression, as `GET /v1/suppressions` shows it. */
interface Row {
  readonly email: string
  readonly stream: string
  readonly reason: SuppressionReason
  readonly created_at: string
}

const LISTS: readonly List[] = [
  {
    name: 'bounces',
    reasons: ['hard_bounce'],
    removed: 'Bounced address has been removed',
    emptied: 'Bounced addresses for this domain have been removed',
    view: (row) => ({ ...head(row), code: '550', error: 'Hard bounce' }),
  },
  {
    name: 'unsubscribes',
    reasons: ['unsubscribe', 'manual'],
    removed: 'Unsubscribe event has been removed',
    emptied: 'Unsubscribe addresses for this domain have been removed',
    view: (row) => ({ ...head(row), tags: [row.stream] }),
  },
  {
    name: 'complaints',
    reasons: ['complaint'],
    removed: 'Spam complaint has been removed',
    emptied: 'Complaint addresses for this domain have been removed',
    view: (row) => head(row),
  },
]

const head = ({ email, created_at }: Row) => ({ address: email, created_at: mailgunTime(created_at) })

const noun = 'Suppressions'
const ofStreams =
  'An address is suppressed in one stream or in all streams of the domain; the tag of an unsubscribe is the alias of the stream, or `*`.'
/** Limit of a list of up to 1,000 addresses, and of an imported file. */
const LIST_BODY = { kinds: ['fields'], maxBytes: 1_048_576, problems: 'handler' } as const
const FILE_BODY = { kinds: ['fields'], maxBytes: 26_214_400 } as const
const MAX_ADDED = 1_000

export const suppressionCalls: readonly VendorCall[] = [...LISTS.flatMap(callsOf), ...allowListCalls()]

function callsOf(list: List): VendorCall[] {
  const path = `/v3/:domain/${list.name}`
  const reads = { noun, scope: 'suppressions:read', state: 'differs', differences: ofStreams } as const
  const writes = { noun, scope: 'suppressions:write', state: 'differs', differences: ofStreams } as const
  return [
    {
      ...{ method: 'GET', path, ...reads, summary: `List ${list.name}` },
      handler: (translation) => listAll(translation, list),
    },
    {
      ...{ method: 'GET', path: `${path}/:address`, ...reads, summary: `Show one of the ${list.name}` },
      handler: (translation) => showOne(translation, list),
    },
    {
      ...{ method: 'POST', path, ...writes, summary: `Add ${list.name}`, body: LIST_BODY, takesArray: true },
      handler: (translation) => addMany(translation, list),
    },
    {
      ...{ method: 'POST', path: `${path}/import`, ...writes, summary: `Add ${list.name} from a CSV file` },
      body: FILE_BODY,
      handler: (translation) => addFile(translation, list),
    },
    {
      ...{ method: 'DELETE', path: `${path}/:address`, ...writes, summary: `Remove one of the ${list.name}` },
      handler: (translation) => removeOne(translation, list),
    },
    {
      ...{ method: 'DELETE', path, ...writes, summary: `Remove all ${list.name}` },
      handler: (translation) => removeAll(translation, list),
    },
  ]
}

function allowListCalls(): VendorCall[] {
  const path = '/v3/:domain/whitelists'
  const absent = 'There is no allow list; remove addresses from the suppression lists instead.'
  const refused = { noun, scope: 'suppressions:write', state: 'refused', differences: absent } as const
  return [
    {
      ...{ method: 'GET', path, noun, scope: 'suppressions:read', summary: 'List the allow list' },
      ...{ state: 'differs', differences: 'There is no allow list; the list is empty.' },
      async handler(translation) {
        await enterDomain(translation)
        const url = `${baseUrlOf(translation.request)}/v3/${translation.param('domain')}/whitelists`
        return { items: [], paging: { first: url, next: url, previous: url, last: url } }
      },
    },
    {
      ...{ method: 'GET', path: `${path}/:value`, noun, scope: 'suppressions:read' },
      ...{ summary: 'Show an entry of the allow list', state: 'differs', differences: absent },
      handler: () => Promise.reject(new Problem('not_found', 'Address/Domain not found in whitelists table')),
    },
    { ...{ method: 'POST', path, ...refused, summary: 'Add to the allow list' } },
    { ...{ method: 'DELETE', path: `${path}/:value`, ...refused, summary: 'Remove from the allow list' } },
  ]
}

const QUERY = new FieldNames('limit', 'page', 'address', 'term', 'cursor')
const LIMIT = { usual: 100, most: 1_000 }
/** Maximum number of rows that `/v1` returns at once. */
const MOST_AT_ONCE = 200

/** Rows of a list in the order of its reasons, and the cursor of the next page; undefined at the end. */
interface Rows {
  readonly rows: readonly Row[]
  readonly next: string | undefined
}

/** Reads rows after a cursor, which contains the index of the reason and the cursor of `/v1`. */
async function readRows(
  translation: Translation,
  { reasons }: List,
  limit: number,
  { email, cursor = '0.' }: { readonly email?: string | undefined; readonly cursor?: string | undefined },
): Promise<Rows> {
  const rows: Row[] = []
  const [, start = '0', inReason = ''] = /^(\d)\.(.*)$/s.exec(cursor) ?? []
  let after = inReason
  for (let index = Number(start); index < reasons.length; ) {
    if (rows.length >= limit) return { rows, next: `${index}.${after}` }
    const { body } = await translation.v1<{
      readonly data: readonly Row[]
      readonly next_cursor: string | null
    }>('suppressions.list', {
      query: {
        reason: reasons[index],
        limit: Math.min(limit - rows.length, MOST_AT_ONCE),
        ...(after === '' ? {} : { cursor: after }),
        ...(email === undefined ? {} : { email }),
      },
    })
    rows.push(...body.data)
    after = body.next_cursor ?? ''
    if (body.next_cursor === null) index++
  }
  return { rows, next: undefined }
}

async function listAll(translation: Translation, list: List): Promise<object> {
  const { domainName } = await enterDomain(translation)
  const fields = pageQuery(translation, QUERY)
  const limit = Math.min(Math.max(fields.integer('limit') ?? LIMIT.usual, 1), LIMIT.most)
  const cursor = fields.text('cursor')
  const term = fields.text('term')
  const { rows, next } =
    cursor === END
      ? { rows: [], next: undefined }
      : await readRows(translation, list, limit, { email: term, cursor })
  const url = `${baseUrlOf(translation.request)}/v3/${domainName}/${list.name}`
  const pageUrl = (page: string, at?: string): string => {
    const query = new URLSearchParams({ page, address: rows.at(-1)?.email ?? '', limit: String(limit) })
    if (term !== undefined) query.set('term', term)
    if (at !== undefined) query.set('cursor', at)
    return `${url}?${query}`
  }
  return {
    items: rows.map(list.view),
    paging: {
      first: pageUrl('first'),
      next: pageUrl('next', next ?? END),
      previous: pageUrl('previous'),
      last: pageUrl('last', END),
    },
  }
}

/** Cursor after the last row. */
const END = 'end'

/** Returns the rows of the address in the path. Throws `not_found` with Mailgun's text. */
async function rowsOfAddress(translation: Translation, list: List): Promise<readonly Row[]> {
  await enterDomain(translation)
  const address = parseAddress(translation.param('address'))
  const email = isAddress(address) ? address.email : undefined
  const found = email === undefined ? [] : (await readRows(translation, list, LIMIT.most, { email })).rows
  if (found.length > 0) return found
  throw new Problem('not_found', `Address not found in ${list.name} table`)
}

async function showOne(translation: Translation, list: List): Promise<object> {
  const [first, ...others] = await rowsOfAddress(translation, list)
  const row = list.view(first as Row)
  return 'tags' in row ? { ...row, tags: [first as Row, ...others].map(({ stream }) => stream) } : row
}

const ENTRY = new FieldNames('address', 'code', 'error', 'tag', 'tags', 'created_at')

async function addMany(translation: Translation, list: List): Promise<object> {
  await enterDomain(translation)
  const { reading, request } = translation
  const isList = Array.isArray(request.body)
  const given: readonly unknown[] = isList ? (request.body as unknown[]) : [objectOf(translation)]
  if (given.length > MAX_ADDED) {
    reading.wrong('', 'too_many', `At most ${MAX_ADDED} addresses are added at once, not ${given.length}.`)
  }
  const entries = given.slice(0, MAX_ADDED).flatMap((one, index) => {
    const fields = reading.fields(one, ENTRY, isList ? `[${index}]` : '')
    const email = fields.text('address')
    if (email === undefined) reading.wrong(fields.at('address'), 'required', 'Give an address.')
    const tags = [...fields.list('tags'), ...fields.list('tag')].map(String)
    return (tags.length === 0 ? [WHOLE_DOMAIN] : tags).map((stream) => ({ email: email ?? '', stream }))
  })
  await add(translation, list, entries)
  const [only] = entries
  return isList
    ? { message: `${given.length} addresses have been added to the ${list.name} table` }
    : { address: only?.email, message: `Address has been added to the ${list.name} table` }
}

async function addFile(translation: Translation, list: List): Promise<object> {
  await enterDomain(translation)
  const [file] = formOf(translation).files('file')
  if (file === undefined)
    throw invalidFields([{ path: 'file', code: 'required', message: 'Give a CSV file.' }])
  const rows = await readSuppressions(file.bytes.toString('utf8'))
  await add(
    translation,
    list,
    rows.map(({ email }) => ({ email, stream: WHOLE_DOMAIN })),
  )
  return { message: 'file uploaded successfully' }
}

interface Added {
  readonly rejected: number
  readonly problems: readonly { readonly path: string; readonly code: string; readonly message: string }[]
}

/** Adds addresses, all or none of which are valid. */
async function add(
  translation: Translation,
  { reasons: [reason] }: List,
  entries: readonly { readonly email: string; readonly stream: string }[],
): Promise<void> {
  translation.check(
    entries.flatMap(({ email }, index) => {
      const address = parseAddress(email)
      if (isAddress(address)) return []
      const message = `This is not an email address: it ${address.problem}.`
      return [
        { path: entries.length === 1 ? 'address' : `[${index}].address`, code: 'invalid_address', message },
      ]
    }),
  )
  const suppressions = entries.map((entry) => ({ ...entry, reason }))
  const { body } = await translation.v1<Added>('suppressions.add', { body: { suppressions } })
  if (body.rejected > 0) throw invalidFields(body.problems)
}

async function removeOne(translation: Translation, list: List): Promise<object> {
  const rows = await rowsOfAddress(translation, list)
  await remove(translation, rows)
  const [{ email } = { email: '' }] = rows
  return { message: list.removed, address: email, value: email }
}

/** Removes addresses; at Mailgun a complaint needs no force. */
const remove = (translation: Translation, rows: readonly Row[]): Promise<unknown> =>
  translation.v1('suppressions.removeMany', {
    body: { suppressions: rows.map(({ email, stream }) => ({ email, stream })), force: true },
  })

async function removeAll(translation: Translation, list: List): Promise<object> {
  await enterDomain(translation)
  for (;;) {
    const { rows } = await readRows(translation, list, LIMIT.most, {})
    if (rows.length === 0) return { message: list.emptied }
    await remove(translation, rows)
  }
}
