// Suppressions in the form of SendGrid: bounces, blocks, invalid addresses, spam reports and unsubscribes.

import type { Static } from 'typebox'
import type { SuppressionList, SuppressionView } from '../../api/contract/suppression.ts'
import { inAnyCase } from '../../model/address.ts'
import { Problem } from '../../model/problem.ts'
import { type SuppressionReason, WHOLE_DOMAIN } from '../../model/suppression.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { groupInPath } from './groups.ts'
import { readUnixSeconds, unixSeconds } from './unix-seconds.ts'

type View = Static<typeof SuppressionView>
type List = Static<typeof SuppressionList>

const noun = 'Suppressions'

/** A list of SendGrid, and our suppressions that it contains. */
interface Kind {
  readonly path: string
  readonly summary: string
  readonly reasons: readonly SuppressionReason[]
  readonly differences?: string
}

const KINDS: readonly Kind[] = [
  { path: 'bounces', summary: 'bounces', reasons: ['hard_bounce'] },
  {
    ...{ path: 'blocks', summary: 'blocks', reasons: [] },
    differences: 'The list is empty, because a refusal of one message suppresses no address.',
  },
  {
    ...{ path: 'invalid_emails', summary: 'invalid addresses', reasons: [] },
    differences: 'The list is empty, because an invalid address is refused when the mail is sent.',
  },
  { path: 'spam_reports', summary: 'spam reports', reasons: ['complaint'] },
  { path: 'unsubscribes', summary: 'unsubscribes', reasons: ['unsubscribe', 'manual'] },
]

const WORDS: Readonly<Record<SuppressionReason, string>> = {
  hard_bounce: 'The address does not accept mail.',
  complaint: 'The recipient reported spam.',
  unsubscribe: 'The recipient unsubscribed.',
  manual: 'The address was suppressed.',
}

const rowOf = ({ created_at, email, reason }: View): object => ({
  created: unixSeconds(created_at),
  email,
  ...(reason === 'complaint' ? { ip: '' } : {}),
  ...(reason === 'hard_bounce' ? { reason: `550 ${WORDS.hard_bounce}`, status: '5.1.1' } : {}),
})

const QUERY = new FieldNames('start_time', 'end_time', 'limit', 'offset', 'email')
/** Maximum number of addresses in the list of a group. */
const MAX_LISTED = 100_000
/** Number of rows of a list without a limit, and the highest number of rows that are skipped. */
const USUAL = 500
const MAX_OFFSET = 10_000

const list = async (translation: Translation, query: Readonly<Record<string, unknown>>): Promise<List> =>
  (await translation.v1<List>('suppressions.list', { query })).body

/**
 * Yields the suppressions that a query selects, newest first for each reason; each address once.
 *
 * @param reasons reasons of the suppressions; undefined for any reason
 */
async function* suppressionsOf(
  translation: Translation,
  reasons: readonly SuppressionReason[] | undefined,
  query: Readonly<Record<string, unknown>>,
): AsyncGenerator<View> {
  const seen = new Set<string>()
  // A list with one reason is found by an index, unlike a list from which the other reasons are left out.
  for (const reason of reasons ?? [undefined]) {
    let cursor: string | null | undefined
    while (cursor !== null) {
      const page: List = await list(translation, {
        ...{ limit: 200, ...query },
        ...(reason === undefined ? {} : { reason }),
        ...(cursor === undefined ? {} : { cursor }),
      })
      for (const one of page.data) {
        if (!seen.has(one.email)) yield one
        seen.add(one.email)
      }
      cursor = page.next_cursor
    }
  }
}

async function listKind(translation: Translation, { reasons }: Kind): Promise<object[]> {
  const { reading } = translation
  const query = translation.query(QUERY)
  const time = (name: 'start_time' | 'end_time', later: number): object => {
    const seconds = readUnixSeconds(query.value(name))
    if (seconds === undefined) return {}
    if (Number.isNaN(seconds)) reading.wrong(name, 'invalid_time', `${name} is a Unix time in seconds.`)
    const bound = new Date((Number.isNaN(seconds) ? 0 : seconds + later) * 1_000).toISOString()
    return { [name === 'start_time' ? 'after' : 'before']: bound }
  }
  const offset = query.integer('offset') ?? 0
  const limit = Math.min(query.integer('limit') ?? USUAL, USUAL)
  if (offset > MAX_OFFSET) {
    reading.wrong('offset', 'invalid_value', `offset is at most ${MAX_OFFSET}; narrow the time instead.`)
  }
  const email = query.text('email')
  const filter = {
    ...time('start_time', 0),
    // The end is inclusive there.
    ...time('end_time', 1),
    ...(email === undefined ? {} : { email }),
  }
  translation.check()
  const rows: object[] = []
  let skipped = 0
  for await (const one of suppressionsOf(translation, reasons, filter)) {
    if (skipped++ < offset) continue
    rows.push(rowOf(one))
    if (rows.length >= limit) break
  }
  return rows
}

/** Returns the suppressions of an address in a list. */
async function found(
  translation: Translation,
  reasons: readonly SuppressionReason[],
): Promise<readonly View[]> {
  return ofAddress(translation, translation.param('email'), reasons)
}

async function ofAddress(
  translation: Translation,
  email: string,
  reasons: readonly SuppressionReason[],
): Promise<readonly View[]> {
  const { data } = await list(translation, { email, limit: 200 })
  return data.filter(
    (one) => inAnyCase(one.email) === inAnyCase(email.trim()) && reasons.includes(one.reason),
  )
}

async function remove(translation: Translation, rows: readonly View[]): Promise<void> {
  for (const { email, stream } of rows) {
    await translation.v1('suppressions.delete', { params: { email }, query: { stream, force: true } })
  }
}

function nothing(translation: Translation): '' {
  translation.reply.code(204)
  return ''
}

const DELETION = new FieldNames('delete_all', 'emails')

/** Removes the addresses in the body, or the whole list. */
async function removeMany(translation: Translation, { reasons }: Kind): Promise<''> {
  const fields = translation.body(DELETION)
  const all = fields.flag('delete_all') === true
  const emails = fields.list('emails').map(String)
  if (all === emails.length > 0) {
    translation.reading.wrong('emails', 'required', 'Give either delete_all or emails.')
  }
  translation.check()
  const removed = async (rows: readonly View[]): Promise<void> => {
    const suppressions = rows.map(({ email, stream }) => ({ email, stream }))
    await translation.v1('suppressions.removeMany', { body: { suppressions, force: true } })
  }
  if (all) await eachPart(translation, reasons, removed)
  const named: View[] = []
  for (const email of emails) named.push(...(await ofAddress(translation, email, reasons)))
  if (named.length > 0) await removed(named)
  return nothing(translation)
}

/** Passes all suppressions with the reasons to a function that removes them, in parts. */
async function eachPart(
  translation: Translation,
  reasons: readonly SuppressionReason[],
  remove: (rows: readonly View[]) => Promise<void>,
): Promise<void> {
  for (const reason of reasons) {
    let cursor: string | null | undefined
    while (cursor !== null) {
      const page = await list(translation, {
        reason,
        limit: 200,
        ...(cursor === undefined ? {} : { cursor }),
      })
      if (page.data.length > 0) await remove(page.data)
      cursor = page.next_cursor
    }
  }
}

const callsOf = (kind: Kind): readonly VendorCall[] => {
  const path = `/v3/suppression/${kind.path}`
  const { summary, reasons, differences } = kind
  const state = differences === undefined ? ('served' as const) : ('differs' as const)
  const shared = { noun, state, ...(differences === undefined ? {} : { differences }) }
  return [
    {
      ...{ ...shared, method: 'GET', path, summary: `List ${summary}`, scope: 'suppressions:read' },
      handler: (translation) => listKind(translation, kind),
    },
    {
      ...{ ...shared, method: 'DELETE', path, summary: `Remove ${summary}`, scope: 'suppressions:write' },
      handler: (translation) => removeMany(translation, kind),
    },
    {
      ...{ ...shared, method: 'GET', path: `${path}/:email`, scope: 'suppressions:read' },
      summary: `Find an address among ${summary}`,
      handler: async (translation) => (await found(translation, reasons)).slice(0, 1).map(rowOf),
    },
    {
      ...{ ...shared, method: 'DELETE', path: `${path}/:email`, scope: 'suppressions:write' },
      summary: `Remove an address from ${summary}`,
      async handler(translation) {
        const rows = await found(translation, reasons)
        if (rows.length === 0) throw new Problem('not_found', 'The list does not have this address.')
        await remove(translation, rows)
        return nothing(translation)
      },
    },
  ]
}

const EMAILS = new FieldNames('recipient_emails')
const ANY: readonly SuppressionReason[] = ['hard_bounce', 'complaint', 'unsubscribe', 'manual']

/** Suppresses the addresses of the body in a stream. Returns the addresses. */
async function suppress(translation: Translation, stream: string): Promise<object> {
  const emails = translation.body(EMAILS).list('recipient_emails').map(String)
  if (emails.length === 0) {
    translation.reading.wrong('recipient_emails', 'required', 'Give at least one address.')
  }
  translation.check()
  const suppressions = emails.map((email) => ({ email, stream, reason: 'unsubscribe' }))
  const { body } = await translation.v1<{
    readonly problems: readonly { readonly path: string; readonly message: string }[]
  }>('suppressions.add', { body: { suppressions } })
  for (const { path, message } of body.problems) {
    translation.reading.wrong(
      path.replace(/^suppressions(\[\d+\]).*$/, 'recipient_emails$1'),
      'invalid',
      message,
    )
  }
  translation.check()
  translation.reply.code(201)
  return { recipient_emails: emails }
}

const inStream = (rows: readonly View[], stream: string): readonly View[] =>
  rows.filter((one) => one.stream === stream)

const globalCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/v3/asm/suppressions/global',
    noun,
    summary: 'Suppress addresses globally',
    scope: 'suppressions:write',
    state: 'differs',
    differences: 'The suppression applies to all streams of the domain of the key.',
    handler: (translation) => suppress(translation, WHOLE_DOMAIN),
  },
  {
    method: 'GET',
    path: '/v3/asm/suppressions/global/:email',
    noun,
    summary: 'Find an address among the global suppressions',
    scope: 'suppressions:read',
    state: 'served',
    async handler(translation) {
      const [row] = inStream(await found(translation, ANY), WHOLE_DOMAIN)
      return row === undefined ? {} : { recipient_email: row.email }
    },
  },
  {
    method: 'DELETE',
    path: '/v3/asm/suppressions/global/:email',
    noun,
    summary: 'Remove a global suppression',
    scope: 'suppressions:write',
    state: 'served',
    async handler(translation) {
      await remove(translation, inStream(await found(translation, ANY), WHOLE_DOMAIN))
      return nothing(translation)
    },
  },
  {
    method: 'POST',
    path: '/v3/asm/groups/:group_id/suppressions',
    noun,
    summary: 'Suppress addresses in an unsubscribe group',
    scope: 'suppressions:write',
    state: 'served',
    handler: async (translation) => suppress(translation, (await groupInPath(translation))[1].alias),
  },
  {
    method: 'GET',
    path: '/v3/asm/groups/:group_id/suppressions',
    noun,
    summary: 'List the suppressions of an unsubscribe group',
    scope: 'suppressions:read',
    state: 'served',
    async handler(translation) {
      const [, { alias }] = await groupInPath(translation)
      const emails: string[] = []
      for await (const { email } of suppressionsOf(translation, undefined, { stream: alias })) {
        if (emails.push(email) === MAX_LISTED) break
      }
      return emails
    },
  },
  {
    method: 'DELETE',
    path: '/v3/asm/groups/:group_id/suppressions/:email',
    noun,
    summary: 'Remove a suppression of an unsubscribe group',
    scope: 'suppressions:write',
    state: 'served',
    async handler(translation) {
      const [, { alias }] = await groupInPath(translation)
      await remove(translation, inStream(await found(translation, ANY), alias))
      return nothing(translation)
    },
  },
]

export const suppressionCalls: readonly VendorCall[] = [...KINDS.flatMap(callsOf), ...globalCalls]
