// A tenant: an account with a verified domain and an API key of each kind, in a real store.

import { createKey } from '../../src/access/keys.ts'
import { addDomain } from '../../src/domains/domains.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Account, createAccount, WITHOUT_LIMITS } from '../../src/store/access/accounts.ts'
import type { Store } from '../../src/store/database/store.ts'
import type { Domain } from '../../src/store/domains/domain-rows.ts'
import type { Owner } from '../../src/store/messages/messages.ts'

export interface Tenant {
  readonly account: Account
  readonly domain: Domain
  /** Account and domain that own the messages of the tenant. */
  readonly owner: Owner
  readonly sendingKey: string
  readonly verificationKey: string
  readonly smtp: { readonly username: string; readonly password: string }
}

let made = 0

/** Creates a tenant with the given domain, or with a unique domain. */
export async function createTenant(
  store: Store,
  wanted: {
    readonly domain?: string
    readonly clock?: Clock
    readonly allowance?: number
    readonly storedBytes?: number
  } = {},
): Promise<Tenant> {
  const {
    domain: name = `tenant${++made}.test`,
    clock = systemClock,
    allowance = null,
    storedBytes = null,
  } = wanted
  const resources = { store, clock }
  const account: Account = {
    id: newId('acc'),
    name: `The account of ${name}`,
    ...WITHOUT_LIMITS,
    sending_allowance: allowance,
    stored_bytes_limit: storedBytes,
    created_at: clock.now(),
  }
  await store.write(createAccount, account)
  const { domain } = await addDomain({
    ...resources,
    accountId: account.id,
    name,
    returnPathHost: 'rp.mail.test',
    trackingTarget: 'mail.test',
    verified: true,
  })
  const key = { accountId: account.id, name: 'Test' }
  const sending = await createKey(resources, { ...key, kind: 'sending', domainId: domain.id })
  const verification = await createKey(resources, { ...key, kind: 'verification', domainId: null })
  const smtp = await createKey(resources, { ...key, kind: 'smtp', domainId: domain.id })
  return {
    account,
    domain,
    owner: { accountId: account.id, domainId: domain.id },
    sendingKey: sending.secret,
    verificationKey: verification.secret,
    smtp: { username: smtp.key.id, password: smtp.secret },
  }
}
