// Rotation of DKIM keys. Every signature can be verified at any time during a rotation.

import type { Resolver } from '../dns/resolver.ts'
import { recalled } from '../lib/repeatable-run.ts'
import { Problem } from '../model/problem.ts'
import { type Domain, listDomainRecords } from '../store/domains/domain-rows.ts'
import {
  addNextKeys,
  discardNextKeys,
  type RotationStep,
  retireKeys,
  switchKeys,
} from '../store/domains/key-rotation.ts'
import { makeDkimKeys } from './dkim-keys.ts'
import { type DomainResources, type DomainWithRecords, verifyDomain } from './domains.ts'
import { dkimRecordOf, lookUp } from './records.ts'

/**
 * Generates new keys, to be published in addition to the current keys. A scheduled rotation is `early` for a domain
 * whose keys are not due.
 */
export async function makeNextKeys(
  { store, clock }: DomainResources,
  domain: Domain,
  isScheduled: boolean,
): Promise<RotationStep> {
  const now = clock.now()
  const keys = await recalled(() => makeDkimKeys(store, domain, 'next', now))
  const records = keys.map((key) => dkimRecordOf(domain, key))
  return store.write(addNextKeys, { domain, keys, records, isScheduled, now })
}

/** Generates new keys, to be published in addition to the current keys. Throws `conflict` during another rotation. */
export async function rotateDkim(resources: DomainResources, domain: Domain): Promise<DomainWithRecords> {
  const step = await makeNextKeys(resources, domain, false)
  return settled(
    resources,
    domain,
    step,
    'A rotation is under way; finish it first: switch, then retire, or discard the new keys.',
  )
}

/**
 * Switches signing to the new keys; the records of the old keys stay published. Throws `conflict` if the record of the
 * new RSA key is not found in the DNS, or if there are no new keys.
 */
export async function switchDkim(
  resources: DomainResources,
  resolver: Resolver,
  domain: Domain,
): Promise<DomainWithRecords> {
  const { store, clock } = resources
  const records = await listDomainRecords(store.read, domain.account_id, domain.id)
  const next = records.find((record) => record.purpose === 'dkim_rsa_next')
  const check = next && (await lookUp(resolver, next, domain.name))
  if (check !== undefined && (check.status !== 'found' || check.note === 'unanswered')) {
    throw new Problem(
      'conflict',
      `The record ${next?.name} of the new key is not found yet; publish it first.`,
    )
  }
  const step = await store.write(switchKeys, { domain, isScheduled: false, now: clock.now() })
  await settled(resources, domain, step, 'There is no new key to switch to; rotate first.')
  return verifyDomain(resources, resolver, domain)
}

/**
 * Removes the old keys; their DNS records may then be removed. Throws `conflict` if there are no old keys, and in the
 * first ten minutes after the switch, because nodes may still sign mail with the old keys.
 */
export async function retireDkim(resources: DomainResources, domain: Domain): Promise<DomainWithRecords> {
  const step = await resources.store.write(retireKeys, {
    ...{ domain, isScheduled: false },
    now: resources.clock.now(),
  })
  return settled(resources, domain, step, 'There is no old key to retire; rotate and switch first.')
}

/**
 * Removes new keys before the switch; their DNS records may then be removed. Throws `conflict` if there are no new
 * keys.
 */
export async function discardDkim(resources: DomainResources, domain: Domain): Promise<DomainWithRecords> {
  const step = await resources.store.write(discardNextKeys, { domain, now: resources.clock.now() })
  return settled(resources, domain, step, 'There are no new keys to discard.')
}

async function settled(
  { store }: DomainResources,
  domain: Domain,
  step: RotationStep,
  outOfOrder: string,
): Promise<DomainWithRecords> {
  if (step === 'gone') throw new Problem('not_found', 'The domain has been deleted.')
  if (step === 'early') {
    throw new Problem(
      'conflict',
      'Signing was switched less than ten minutes ago: mail signed with the old keys is in transit. Retire them some days later.',
    )
  }
  if (step === 'order') throw new Problem('conflict', outOfOrder)
  return { domain, records: await listDomainRecords(store.read, domain.account_id, domain.id) }
}
