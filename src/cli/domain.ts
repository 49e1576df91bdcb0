// postrider domain: adds sending domains, and shows and checks the DNS records of sending domains.

import { setTimeout as sleep } from 'node:timers/promises'
import { domainToUnicode } from 'node:url'
import { deleteDomain, pauseDomain, resumeDomain } from '../domains/changes.ts'
import { discardDkim, retireDkim, rotateDkim, switchDkim } from '../domains/dkim-rotation.ts'
import { addDomain, type DomainWithRecords, isVerified, verifyDomain } from '../domains/domains.ts'
import { zoneText } from '../domains/zone-text.ts'
import { requireConfirmed } from '../model/confirmation.ts'
import { type Domain, listDomainRecords, listDomains } from '../store/domains/domain-rows.ts'
import type { Answer, Context } from './command.ts'
import { domainDocument, domainPage, domainWithRecordsDocument } from './domain-page.ts'
import { chooseDomain, untilNoticed, withAccount } from './open.ts'
import { table } from './text.ts'
import { shortTime } from './times.ts'

/** Inputs of commands about one domain. */
export interface Which {
  readonly domain: string
  readonly account: string | undefined
}

export function add(context: Context, { domain: name, account: named }: Which): Promise<Answer> {
  return withAccount(context, named, async ({ config, store, clock, account }) => {
    const { trackingTarget } = await import('../node/domains.ts')
    const added = await addDomain({
      store,
      clock,
      accountId: account.id,
      name,
      returnPathHost: config.returnPathHost,
      trackingTarget: trackingTarget(config),
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

/**
 * Minimum and maximum pause between two lookups of `verify --wait`; within these bounds, the pause is a fixed fraction
 * of the whole wait.
 */
const [MIN_PAUSE_MS, MAX_PAUSE_MS, PAUSES] = [1_000, 15_000, 20]

/**
 * Looks up every DNS record of a domain now, and again for up to `wait` milliseconds while required records are
 * missing; returns when all running nodes know the result.
 */
export function verify(
  context: Context,
  { wait, ...which }: Which & { readonly wait: number | undefined },
): Promise<Answer> {
  return withAccount(context, which.account, async ({ config, store, clock, account }) => {
    const domain = await chooseDomain(store.read, account, which.domain)
    const { verifyingResolver } = await import('../node/domains.ts')
    const lookUp = () => verifyDomain({ store, clock }, verifyingResolver(config, store), domain)
    const pauseMs = Math.min(Math.max((wait ?? 0) / PAUSES, MIN_PAUSE_MS), MAX_PAUSE_MS)
    const endsAt = performance.now() + (wait ?? 0)
    let verified = await lookUp()
    while (!isVerified(verified) && verified.domain.status !== 'paused' && performance.now() < endsAt) {
      await sleep(Math.min(pauseMs, endsAt - performance.now()))
      verified = await lookUp()
    }
    await untilNoticed()
    const failed = wait !== undefined && !isVerified(verified)
    return { ...answer(statusSentence(verified.domain), verified, true), failed }
  })
}

/** Prints the DNS records of a domain as text for a zone file. */
export function zone(context: Context, which: Which): Promise<Answer> {
  return withAccount(context, which.account, async ({ store, account }) => {
    const domain = await chooseDomain(store.read, account, which.domain)
    const text = zoneText(domain, await listDomainRecords(store.read, account.id, domain.id))
    return { document: { domain_id: domain.id, domain: domain.name, zone: text }, text: text.trimEnd() }
  })
}

/** Pauses or resumes a domain. A paused domain accepts no messages, and its queued messages are not delivered. */
export function setPaused(context: Context, which: Which, paused: boolean): Promise<Answer> {
  return withAccount(context, which.account, async ({ store, clock, account }) => {
    const domain = await chooseDomain(store.read, account, which.domain)
    const changed = await (paused ? pauseDomain : resumeDomain)({ store, clock }, domain)
    await untilNoticed()
    return { document: domainDocument(changed.domain), text: statusSentence(changed.domain) }
  })
}

/** Deletes a domain if `confirm` repeats the name of the domain. */
export function remove(context: Context, which: Which & { readonly confirm: string }): Promise<Answer> {
  return withAccount(context, which.account, async ({ store, clock, account }) => {
    const domain = await chooseDomain(store.read, account, which.domain)
    requireConfirmed(which.confirm, 'domain', [domain.name, domainToUnicode(domain.name)])
    await deleteDomain({ store, clock }, domain)
    await untilNoticed()
    return {
      document: { domain_id: domain.id, domain: domain.name, deleted: true },
      text: `${domain.name} has been deleted; its keys are revoked and its queued messages are cancelled.`,
    }
  })
}

const ROTATION = {
  rotate: (name: string) =>
    `${name} has new DKIM keys. Publish their records in addition to the present records, then run: postrider domain dkim switch ${name}`,
  switch: (name: string) =>
    `${name} signs with the new DKIM keys now. Keep the old records for some days, then run: postrider domain dkim retire ${name}`,
  discard: (name: string) =>
    `${name} keeps its present DKIM keys; the records of the new keys can be removed.`,
  retire: (name: string) => `${name} has only its new DKIM keys; the old records can be removed.`,
}

/** Runs one step of the rotation of a domain's DKIM keys. */
export function dkim(
  context: Context,
  { step, ...which }: Which & { readonly step: keyof typeof ROTATION },
): Promise<Answer> {
  return withAccount(context, which.account, async ({ config, store, clock, account }) => {
    const domain = await chooseDomain(store.read, account, which.domain)
    const { verifyingResolver } = await import('../node/domains.ts')
    const resources = { store, clock }
    const steps = {
      rotate: () => rotateDkim(resources, domain),
      switch: () => switchDkim(resources, verifyingResolver(config, store), domain),
      discard: () => discardDkim(resources, domain),
      retire: () => retireDkim(resources, domain),
    }
    const changed = await steps[step]()
    return answer(ROTATION[step](domain.name), changed, step !== 'rotate')
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

const statusSentence = (domain: Domain): string =>
  domain.claim_token === null
    ? `${domain.name} ${STATUS_MEANS[domain.status]}.`
    : `${domain.name} belongs to another account until you prove that you own it.`
