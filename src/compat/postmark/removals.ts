// Postmark's data removals, for the account token.

import type { DomainSummary } from '../../api/contract/domain.ts'
import { newId } from '../../lib/ids.ts'
import type { VendorCall } from '../declaration.ts'
import { rowsOf } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING, numberedIn, shownNumber } from './objects.ts'

const noun = 'Data removals'
const REMOVAL = new FieldNames('RequestedBy', 'RequestedFor', 'NotifyWhenCompleted')

export const removalCalls: readonly VendorCall[] = [
  {
    ...{ method: 'POST', path: '/data-removals', noun, scope: 'erasures:write' },
    summary: 'Erase an address in all domains of the key',
    state: 'differs',
    differences:
      'The address is erased before the answer, so the status is `Done` at once and nobody is notified; the audit log has the erasure. The key also needs `domains:read`.',
    handler: remove,
  },
  {
    ...{ method: 'GET', path: '/data-removals/:id', noun, scope: 'erasures:write' },
    summary: 'Read the state of a removal',
    state: 'served',
    async handler(translation) {
      await numberedIn(translation, 'removal', MISSING.removal)
      return { ID: Number(translation.param('id')), Status: 'Done' }
    },
  },
]

async function remove(translation: Translation): Promise<object> {
  const { reading } = translation
  const fields = translation.body(REMOVAL)
  const email = fields.text('RequestedFor')
  if (email === undefined) reading.wrong('RequestedFor', 'required', 'Give the address to erase.')
  if (fields.flag('NotifyWhenCompleted')) reading.ignore('NotifyWhenCompleted')
  translation.check()
  const domains: string[] = []
  for await (const { domain_id } of rowsOf<DomainSummary>(translation, 'domains.list'))
    domains.push(domain_id)
  for (const domain of domains) {
    await translation.v1('erasures.create', { query: { domain }, body: { email } })
  }
  return { ID: await shownNumber(translation, 'removal', newId('req')), Status: 'Done' }
}
