// Rotation of DKIM keys, during which every signature can be verified at any time.

import type { Resolver } from '../dns/resolver.ts'
import { recalled } from '../lib/repeatable-run.ts'
import { Problem } from '../model/problem.ts'
import {
  addNextKeys,
  discardNextKeys,
  type RotationStep,
  retireKeys,
  switchKeys,
} from '../store/domains/dkim-keys.ts'
import { type Domain, listDomainRecords } from '../store/domains/domains.ts'
import { makeDkimKeys } from './dkim-keys.ts'
import { type DomainResources, type DomainWithRecords, verifyDomain } from './domains.ts'
import { dkimRecordOf, lookUp } from './records.ts'

/** Makes new keys, to be published in addition to the current ones. Throws `conflict` during another rotation. */
export async function rotateDkim(resources: DomainResources, domain: Domain): Promise<DomainWithRecords> {
  const { store, clock } = resources
  const now = clock.now()
  const keys = await recalled(() => makeDkimKeys(store, domain, 'next', now))
  const records = keys.map((key) => dkimRecordOf(domain, key))
  const step = await store.write(addNextKeys, { domain, keys, records, now })
  return settled(
    resources,
    domain,
    step,
    'A rotation is under way; finish it first: switch, then retire, or discard the new keys.',
  )
}

/**
 * Signs with the new keys from now on, once their RSA record is found; the old ones stay published. Throws `conflict`
 * when the record is not found, or there are no new keys.
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
  const step = await store.write(switchKeys, { domain, now: clock.now() })
  await settled(resources, domain, step, 'There is no new key to switch to; rotate first.')
  return verifyDomain(resources, resolver, domain)
}

/**
 * Removes the old keys; their records may then be removed. Throws `conflict` when there are none, and in the first
 * ten minutes after the switch, when mail may still be signed with them.
 */
export async function retireDkim(resources: DomainResources, domain: Domain): Promise<DomainWithRecords> {
  const step = await resources.store.write(retireKeys, { domain, now: resources.clock.now() })
  return settled(resources, domain, step, 'There is no old key to retire; rotate and switch first.')
}

/**
 * Removes new keys before anything is signed with them; their records may be removed. Throws `conflict` when there
 * are none.
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
