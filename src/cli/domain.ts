// postrider domain: add sending domains, show the DNS records they need, and look whether these are there.

import { addDomain, type DomainWithRecords, verifyDomain } from '../domains/domains.ts'
import { type Domain, listDomainRecords, listDomains } from '../store/domains.ts'
import type { Answer, Context } from './command.ts'
import { domainDocument, domainPage, domainWithRecordsDocument } from './domain-page.ts'
import { chooseDomain, untilNoticed, withAccount } from './open.ts'
import { table } from './text.ts'
import { shortTime } from './times.ts'

/** Which domain, and of which account. */
export interface Which {
  readonly domain: string
  readonly account: string | undefined
}

export function add(context: Context, { domain: name, account: named }: Which): Promise<Answer> {
  return withAccount(context, named, async ({ config, store, clock, account }) => {
    const added = await addDomain({
      store,
      clock,
      accountId: account.id,
      name,
      returnPathHost: config.returnPathHost,
    })
    return answer(`${added.domain.name} has been added (${added.domain.id}).`, added, false)
  })
}

export function list(context: Context, { account: named }: Pick<Which, 'account'>): Promise<Answer> {
  return withAccount(context, named, async ({ store, account }) => {
    const domains = await listDomains(store.read, account.id)
    const rows = domains.map((one) => [one.id, one.name, one.status, shortTime(one.checked_at)])
    return {
      document: { data: domains.map(domainDocument) },
      text: table(
        ['domain', 'name', 'status', 'checked'],
        rows,
        'There is no domain yet; add one with: postrider domain add example.com',
      ),
    }
  })
}

export function records(context: Context, which: Which): Promise<Answer> {
  return withAccount(context, which.account, async ({ store, account }) => {
    const domain = await chooseDomain(store.read, account, which.domain)
    const kept = await listDomainRecords(store.read, account.id, domain.id)
    return answer(statusSentence(domain), { domain, records: kept }, domain.checked_at !== null)
  })
}

/** Looks every record up now; returns when running nodes know the result. */
export function verify(context: Context, which: Which): Promise<Answer> {
  return withAccount(context, which.account, async ({ config, store, clock, account }) => {
    const domain = await chooseDomain(store.read, account, which.domain)
    const { resolverOf } = await import('../app.ts')
    const verified = await verifyDomain({ store, clock }, resolverOf(config, store, false), domain)
    await untilNoticed()
    return answer(statusSentence(verified.domain), verified, true)
  })
}

const answer = (first: string, found: DomainWithRecords, looked: boolean): Answer => ({
  document: domainWithRecordsDocument(found),
  text: `${first}\n\n${domainPage(found, looked)}`,
})

const STATUS_MEANS: Record<Domain['status'], string> = {
  pending: 'is not verified yet and cannot send',
  verified: 'is verified and may send',
  paused: 'is paused and cannot send',
}

const statusSentence = (domain: Domain): string => `${domain.name} ${STATUS_MEANS[domain.status]}.`
