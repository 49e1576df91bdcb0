// Adding a sending domain, and verifying it by its DNS records.

import { generateDkimKey } from '../dkim/keys.ts'
import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { isAddress, parseAddress } from '../model/address.ts'
import { Problem } from '../model/problem.ts'
import { type DkimKey, type Domain, type DomainRecord, listDomainRecords } from '../store/domains.ts'
import type { Store } from '../store/store.ts'
import { lookUp, recordsFor } from './records.ts'

/** How long a verified domain may go on sending after its records vanished. */
const GRACE_MS = 3 * 24 * 3_600_000

/** A domain and its records. */
export interface DomainWithRecords {
  readonly domain: Domain
  readonly records: readonly DomainRecord[]
}

/** What adding a domain needs. */
export interface AddDomain {
  readonly store: Store
  readonly clock: Clock
  readonly accountId: string
  readonly name: string
  /** Where its Return-Path CNAME points: the installation's return-path host. */
  readonly returnPathHost: string
  /** Only the playground's own domain is born verified. */
  readonly verified?: boolean
}

/**
 * Adds a domain with a DKIM key of each algorithm. Throws `validation_failed` for a name that is none, `conflict`
 * when it is here already, in whichever account.
 */
export async function addDomain(options: AddDomain): Promise<DomainWithRecords> {
  const { store, clock, accountId, verified = false } = options
  const name = domainName(options.name)
  const now = clock.now()
  const domain: Domain = {
    id: newId('dom', now),
    account_id: accountId,
    name,
    status: verified ? 'verified' : 'pending',
    created_at: now,
    verified_at: verified ? now : null,
    checked_at: null,
  }
  const dkimKeys = await Promise.all([
    makeDkimKey(domain, 'rsa-sha256', now),
    makeDkimKey(domain, 'ed25519-sha256', now),
  ])
  const records = recordsFor(domain, dkimKeys, options.returnPathHost).map((record) =>
    verified ? { ...record, status: 'found' as const } : record,
  )
  if (!(await store.write('createDomain', { domain, dkimKeys, records }))) {
    throw new Problem('conflict', `${name} has been added already, by this account or another one.`)
  }
  return { domain, records }
}

/** The name in A-labels and lower case. Throws `validation_failed` when it is none; `path` is the field that it came in. */
export function domainName(text: string, path = 'domain'): string {
  const address = parseAddress(`postmaster@${text}`)
  if (isAddress(address)) return address.domain
  throw new Problem(
    'validation_failed',
    `${JSON.stringify(text)} is not a domain name: it ${address.problem}.`,
    {
      errors: [{ path, code: 'invalid_domain', message: 'Give a name such as example.com.' }],
    },
  )
}

async function makeDkimKey(domain: Domain, algorithm: DkimKey['algorithm'], now: number): Promise<DkimKey> {
  const { privateKey, publicKey } = await generateDkimKey(algorithm)
  const day = new Date(now).toISOString().slice(0, 10).replaceAll('-', '')
  return {
    id: newId('dkm', now),
    account_id: domain.account_id,
    domain_id: domain.id,
    selector: `pr${day}${algorithm === 'rsa-sha256' ? 'r' : 'e'}`,
    algorithm,
    private_key: privateKey,
    public_key: publicKey,
    created_at: now,
  }
}

/**
 * Looks every record up now and keeps what was found. With the required ones in place the domain is verified; one
 * that was verified stays so for three days after its records vanish. A paused domain stays paused.
 */
export async function verifyDomain(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  resolver: Resolver,
  domain: Domain,
): Promise<DomainWithRecords> {
  const records = await listDomainRecords(store.read, domain.account_id, domain.id)
  const looks = await Promise.all(records.map((record) => lookUp(resolver, record)))
  const now = clock.now()
  const checked = records.map((record, index) => {
    const { status, found } = looks[index] as (typeof looks)[number]
    return { ...record, status, found: JSON.stringify(found) }
  })
  const complete = checked.every((record) => record.required === 0 || record.status === 'found')
  const verifiedAt = complete ? now : domain.verified_at
  const inGrace = verifiedAt !== null && now - verifiedAt < GRACE_MS
  const status = domain.status === 'paused' ? 'paused' : complete || inGrace ? 'verified' : 'pending'
  await store.write('recordDomainCheck', {
    domain: { id: domain.id, account_id: domain.account_id, status, verified_at: verifiedAt },
    records: checked.map(({ domain_id, purpose, status, found }) => ({ domain_id, purpose, status, found })),
    now,
  })
  return { domain: { ...domain, status, verified_at: verifiedAt, checked_at: now }, records: checked }
}
