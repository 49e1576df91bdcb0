// Postmark's domains and data removals, for the account token.

import type { DomainRecordView, DomainSummary, DomainView } from '../../api/contract/domain.ts'
import { newId } from '../../lib/ids.ts'
import type { VendorCall } from '../declaration.ts'
import { pageOf, rowsOf } from '../pages.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING, numberedIn, orMissing, shownNumber, shownNumbers } from './objects.ts'
import { PAGE, readPage } from './paging.ts'

const noun = 'Domains'
const LIST = new FieldNames(...PAGE)
const DOMAIN = new FieldNames('Name', 'ReturnPathDomain')
const SENDERS = 'Every address of a verified domain may send; there are no signatures of single senders.'
const RECORDS = 'The service has no SPF record of its own: the return path carries it.'

export const domainCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/domains', noun, scope: 'domains:read' },
    summary: 'List domains',
    state: 'served',
    handler: listDomains,
  },
  {
    ...{ method: 'GET', path: '/domains/:id', noun, scope: 'domains:read' },
    summary: 'Read a domain with its records',
    state: 'differs',
    differences: RECORDS,
    handler: async (translation) => shown(translation, await present(translation)),
  },
  {
    ...{ method: 'POST', path: '/domains', noun, scope: 'domains:write' },
    summary: 'Add a domain',
    state: 'differs',
    differences: 'The name of the return path cannot be chosen.',
    async handler(translation) {
      const fields = translation.body(DOMAIN)
      refuseReturnPath(translation, fields.text('ReturnPathDomain'))
      const body = { domain: fields.text('Name') ?? '' }
      return shown(translation, (await translation.v1<DomainView>('domains.create', { body })).body)
    },
  },
  {
    ...{ method: 'PUT', path: '/domains/:id', noun, scope: 'domains:write' },
    summary: 'Change the return path of a domain',
    state: 'differs',
    differences: 'The name of the return path cannot be chosen; another name is refused.',
    async handler(translation) {
      const domain = await present(translation)
      const path = translation.body(DOMAIN).text('ReturnPathDomain')
      const own = recordOf(domain, 'return_path')?.name
      if (path?.toLowerCase() !== own?.toLowerCase()) refuseReturnPath(translation, path)
      translation.check()
      return shown(translation, domain)
    },
  },
  {
    ...{ method: 'DELETE', path: '/domains/:id', noun, scope: 'domains:write' },
    summary: 'Delete a domain',
    state: 'served',
    async handler(translation) {
      const { domain_id, domain: confirm } = await present(translation)
      await translation.v1('domains.delete', { params: { domain: domain_id }, query: { confirm } })
      return { ErrorCode: 0, Message: `Domain ${confirm} removed.` }
    },
  },
  ...(['PUT verifyDkim', 'PUT verifyReturnPath', 'POST verifySpf'] as const).map((action): VendorCall => {
    const [method, name] = action.split(' ') as ['PUT' | 'POST', string]
    return {
      ...{ method, path: `/domains/:id/${name}`, noun, scope: 'domains:verify' },
      summary: 'Look up the records of a domain now',
      state: 'differs',
      differences: `Looks up all records. ${RECORDS}`,
      handler: verify,
    }
  }),
  {
    ...{ method: 'POST', path: '/domains/:id/rotateDKIM', noun, scope: 'domains:write' },
    summary: 'Make the next DKIM key',
    state: 'served',
    handler: rotate,
  },
  ...(
    [
      ['GET', '/senders', 'List sender signatures'],
      ['GET', '/senders/:id', 'Read a sender signature'],
      ['POST', '/senders', 'Create a sender signature'],
      ['PUT', '/senders/:id', 'Change a sender signature'],
      ['DELETE', '/senders/:id', 'Delete a sender signature'],
      ['POST', '/senders/:id/resend', 'Send the confirmation of a sender signature again'],
      ['POST', '/senders/:id/verifySpf', 'Verify the SPF record of a sender signature'],
      ['POST', '/senders/:id/requestNewDkim', 'Make a DKIM key for a sender signature'],
    ] as const
  ).map(
    ([method, path, summary]): VendorCall => ({
      ...{ method, path, noun: 'Sender signatures', scope: 'any-credential', summary },
      state: 'refused',
      differences: SENDERS,
    }),
  ),
]

async function listDomains(translation: Translation): Promise<object> {
  const page = readPage(translation.query(LIST), translation.reading)
  const found = await pageOf(rowsOf<DomainSummary>(translation, 'domains.list'), page)
  const ids = found.rows.map(({ domain_id }) => domain_id)
  const numbers = await shownNumbers(translation, 'domain', ids)
  return {
    TotalCount: found.total,
    Domains: found.rows.map((row) => summaryOf(row, numbers.get(row.domain_id) as number)),
  }
}

function summaryOf({ domain, verified_at, flagged_at }: DomainSummary, number: number) {
  const isGood = verified_at !== null && flagged_at === null
  return {
    ID: number,
    Name: domain,
    SPFVerified: isGood,
    DKIMVerified: isGood,
    WeakDKIM: false,
    ReturnPathDomainVerified: isGood,
  }
}

/** Returns the domain that the path names by its number. */
async function present(translation: Translation): Promise<DomainView> {
  const domain = await numberedIn(translation, 'domain', MISSING.domain)
  const found = translation.v1<DomainView>('domains.get', { params: { domain } })
  return (await orMissing(MISSING.domain, found)).body
}

async function verify(translation: Translation): Promise<object> {
  const domain = await numberedIn(translation, 'domain', MISSING.domain)
  const verified = translation.v1<DomainView>('domains.verify', { params: { domain } })
  return shown(translation, (await orMissing(MISSING.domain, verified)).body)
}

async function rotate(translation: Translation): Promise<object> {
  const domain = await numberedIn(translation, 'domain', MISSING.domain)
  const rotated = translation.v1<DomainView>('domains.dkim.rotate', { params: { domain } })
  return shown(translation, (await orMissing(MISSING.domain, rotated)).body)
}

function refuseReturnPath({ reading }: Translation, path: string | undefined): void {
  if (path !== undefined) reading.refuse('ReturnPathDomain', 'The name of the return path cannot be chosen.')
}

const recordOf = (
  { records }: DomainView,
  purpose: DomainRecordView['purpose'],
): DomainRecordView | undefined => records.find((one) => one.purpose === purpose)

const isFound = (record: DomainRecordView | undefined): boolean => record?.status === 'found'

async function shown(translation: Translation, domain: DomainView): Promise<object> {
  const number = await shownNumber(translation, 'domain', domain.domain_id)
  const [dkim, next, old, path] = [
    recordOf(domain, 'dkim_rsa') ?? recordOf(domain, 'dkim_ed25519'),
    recordOf(domain, 'dkim_rsa_next') ?? recordOf(domain, 'dkim_ed25519_next'),
    recordOf(domain, 'dkim_rsa_old') ?? recordOf(domain, 'dkim_ed25519_old'),
    recordOf(domain, 'return_path'),
  ]
  return {
    ...summaryOf(domain, number),
    DKIMVerified: isFound(dkim),
    ReturnPathDomainVerified: isFound(path),
    SPFVerified: isFound(path),
    ...{ SPFHost: '', SPFTextValue: '' },
    ...{ DKIMHost: dkim?.name ?? '', DKIMTextValue: dkim?.value ?? '' },
    ...{ DKIMPendingHost: next?.name ?? '', DKIMPendingTextValue: next?.value ?? '' },
    ...{ DKIMRevokedHost: old?.name ?? '', DKIMRevokedTextValue: old?.value ?? '' },
    SafeToRemoveRevokedKeyFromDNS: old !== undefined,
    DKIMUpdateStatus: next === undefined ? (isFound(dkim) ? 'Verified' : 'Pending') : 'Pending',
    ReturnPathDomain: path?.name ?? '',
    ReturnPathDomainCNAMEValue: path?.value ?? '',
  }
}

const REMOVAL = new FieldNames('RequestedBy', 'RequestedFor', 'NotifyWhenCompleted')

export const removalCalls: readonly VendorCall[] = [
  {
    ...{ method: 'POST', path: '/data-removals', noun: 'Data removals', scope: 'erasures:write' },
    // A repeated erasure finds nothing to erase, so the response needs no storing.
    once: 'handler',
    summary: 'Erase an address in all domains of the key',
    state: 'differs',
    differences:
      'The address is erased before the answer, so the status is `Done` at the first question for it and nobody is notified; the audit log has the erasure. The key also needs `domains:read`.',
    handler: remove,
  },
  {
    ...{ method: 'GET', path: '/data-removals/:id', noun: 'Data removals', scope: 'erasures:write' },
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
  // Clients expect that the removal is done later, and ask for its state.
  return { ID: await shownNumber(translation, 'removal', newId('req')), Status: 'Pending' }
}
