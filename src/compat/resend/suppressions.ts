// Suppressions in the form of Resend, which apply to all streams of a domain.

import type { Static } from 'typebox'
import type { SuppressionList, SuppressionView } from '../../api/contract/suppression.ts'
import { idAfter, idOfUuid, uuidOfId } from '../../lib/ids.ts'
import { recalled } from '../../lib/repeatable-run.ts'
import { inAnyCase } from '../../model/address.ts'
import { Problem } from '../../model/problem.ts'
import { type SuppressionReason, WHOLE_DOMAIN } from '../../model/suppression.ts'
import type { VendorCall } from '../declaration.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { pageOf } from './pages.ts'

type View = Static<typeof SuppressionView>
type List = Static<typeof SuppressionList>

const noun = 'Suppressions'

const ORIGINS: Readonly<Record<SuppressionReason, 'bounce' | 'complaint' | 'manual'>> = {
  hard_bounce: 'bounce',
  complaint: 'complaint',
  unsubscribe: 'manual',
  manual: 'manual',
}

/** Maximum number of addresses in a request. */
const MANY = 100

const entryOf = (suppression: View) => ({
  id: uuidOfId(suppression.suppression_id),
  email: suppression.email,
  origin: ORIGINS[suppression.reason],
  source_id: suppression.message_id === null ? null : uuidOfId(suppression.message_id),
  created_at: suppression.created_at,
})

/** Suppresses an address in all streams of the domain; an address that is suppressed already stays so. */
async function add(translation: Translation, email: string | undefined): Promise<View> {
  const { body } = await translation.v1<View>('suppressions.add', {
    body: { email, stream: WHOLE_DOMAIN, reason: 'manual' },
  })
  return body
}

const list = async (translation: Translation, query: Readonly<Record<string, unknown>>): Promise<List> =>
  (await translation.v1<List>('suppressions.list', { query })).body

/** Returns the suppressions of an address, or the suppression with an ID. Throws `not_found` if there are none. */
async function find(translation: Translation, named: string): Promise<readonly View[]> {
  const id = idOfUuid('sup', named)
  const found =
    id === undefined
      ? (await list(translation, { email: named, limit: MANY })).data.filter(
          ({ email }) => inAnyCase(email) === inAnyCase(named.trim()),
        )
      : (await list(translation, { cursor: idAfter(id), limit: 1 })).data.filter(
          ({ suppression_id }) => suppression_id === id,
        )
  if (found.length === 0) throw new Problem('not_found', 'There is no suppression with this ID or address.')
  return found
}

/** Removes suppressions; returns the one that was named. */
async function remove(translation: Translation, named: string): Promise<object> {
  // A request that is repeated after a crash tells which suppressions its first run has found.
  const found = await recalled(() => find(translation, named))
  for (const { email, stream } of found) {
    await translation.v1('suppressions.delete', { params: { email }, query: { stream, force: true } })
  }
  return { object: 'suppression', id: uuidOfId(found[0]?.suppression_id ?? ''), deleted: true }
}

/** Returns the texts of a list with 1 to 100 entries. */
function manyIn({ reading }: Translation, fields: Fields, names: readonly string[]): string[] {
  const all = names.flatMap((name) => fields.list(name)).map(String)
  if (all.length === 0 || all.length > MANY) {
    reading.wrong(names[0] ?? '', 'invalid_value', `Give 1 to ${MANY} entries.`)
  }
  return all
}

const ORIGIN = new FieldNames('origin', 'limit', 'after', 'before')

export const suppressionCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/suppressions',
    noun,
    summary: 'Suppress an address',
    scope: 'suppressions:write',
    state: 'differs',
    differences: 'The suppression applies to the domain of the key, not to the whole account.',
    async handler(translation) {
      const email = translation.body(new FieldNames('email')).text('email')
      const suppression = await add(translation, email)
      translation.reply.code(201)
      return { object: 'suppression', id: uuidOfId(suppression.suppression_id) }
    },
  },
  {
    method: 'GET',
    path: '/suppressions',
    noun,
    summary: 'List suppressions',
    scope: 'suppressions:read',
    state: 'served',
    async handler(translation) {
      const origin = translation.query(ORIGIN).word('origin', ['bounce', 'complaint', 'manual'])
      const reason = origin === 'bounce' ? 'hard_bounce' : origin === 'complaint' ? origin : undefined
      return pageOf<View>(translation, {
        operation: 'suppressions.list',
        ...(reason === undefined ? {} : { filter: { reason } }),
        prefix: 'sup',
        idOf: ({ suppression_id }) => suppression_id,
        view: entryOf,
        ...(origin === 'manual' ? { isListed: (one: View) => ORIGINS[one.reason] === 'manual' } : {}),
      })
    },
  },
  {
    method: 'GET',
    path: '/suppressions/:id',
    noun,
    summary: 'Retrieve a suppression by ID or address',
    scope: 'suppressions:read',
    state: 'served',
    async handler(translation) {
      const [first] = await find(translation, translation.param('id'))
      return { object: 'suppression', ...entryOf(first!) }
    },
  },
  {
    method: 'DELETE',
    path: '/suppressions/:id',
    noun,
    summary: 'Remove a suppression by ID or address',
    scope: 'suppressions:write',
    state: 'served',
    handler: (translation) => remove(translation, translation.param('id')),
  },
  {
    method: 'POST',
    path: '/suppressions/batch/add',
    noun,
    summary: 'Suppress up to 100 addresses',
    scope: 'suppressions:write',
    state: 'served',
    async handler(translation) {
      const emails = manyIn(translation, translation.body(new FieldNames('emails')), ['emails'])
      translation.check()
      const data: object[] = []
      for (const email of emails) {
        const { suppression_id } = await add(translation, email)
        data.push({ object: 'suppression', id: uuidOfId(suppression_id) })
      }
      return { data }
    },
  },
  {
    method: 'POST',
    path: '/suppressions/batch/remove',
    noun,
    summary: 'Remove up to 100 suppressions',
    scope: 'suppressions:write',
    state: 'served',
    async handler(translation) {
      const named = manyIn(translation, translation.body(new FieldNames('emails', 'ids')), ['emails', 'ids'])
      translation.check()
      const data: object[] = []
      for (const one of named) {
        // An address that is not suppressed is removed already.
        data.push(await remove(translation, one).catch(missing(one)))
      }
      return { data }
    },
  },
]

/** Returns the result for an entry that is not suppressed. */
const missing = (named: string) => (error: unknown) => {
  if (!(error instanceof Problem) || error.code !== 'not_found') throw error
  return { object: 'suppression', id: named, deleted: false }
}
