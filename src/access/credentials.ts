// Looks up credentials by their secret, and caches the credentials until any account, domain or key changes.

import { bytesOf, cacheOf } from '../lib/caches.ts'
import { shownNetwork } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Networks } from '../lib/networks.ts'
import { dayOf } from '../lib/rfc3339.ts'
import { PermittedRecipients } from '../model/permitted-recipients.ts'
import { noteRefusedNetwork, noteUsedNetwork } from '../store/access/key-notices.ts'
import type { KeyDomain, StoredCredential } from '../store/access/key-reads.ts'
import { findCredential, listPublicOrigins } from '../store/access/key-reads.ts'
import { type KeyUse, recordKeyUse } from '../store/access/keys.ts'
import { reading, type Store } from '../store/database/store.ts'
import type { VersionWatch } from '../store/node/version-watch.ts'
import { isOfOperator, isScope, type Scope } from './scopes.ts'
import { hashSecret } from './secrets.ts'

/** A key or an SMTP credential as found by its secret, with its rights ready for checks. */
export interface Credential
  extends Omit<
    StoredCredential,
    'scopes' | 'grants' | 'networks' | 'origins' | 'recipients' | 'managed' | 'hash' | 'previous_hash'
  > {
  readonly scopes: ReadonlySet<Scope>
  readonly grants: ReadonlySet<Scope>
  /** Networks in CIDR notation, and the same as a check; null for any address. */
  readonly networks: readonly string[] | null
  readonly permittedNetworks: Networks | null
  /** Origins of the web pages that may use a public key; empty for any other key. */
  readonly origins: ReadonlySet<string>
  /** Addresses and `*@domain`, and the same as a check; null for any address. */
  readonly recipients: readonly string[] | null
  readonly permittedRecipients: PermittedRecipients | null
  /** Domains of a management key by ID; empty for any other key. */
  readonly managed: ReadonlyMap<string, KeyDomain>
  /** End of a secret that was rotated, in milliseconds since the epoch; null for the present secret. */
  readonly secretUntil: number | null
}

/** Interval of the writes that record when credentials were last used. */
const USE_WRITE_MS = 10_000

/** Maximum number of keys whose networks, and whose refusals, this node keeps in memory. */
const MAX_NOTED = 10_000

/**
 * Finds credentials by their secret. A cached credential costs no round trip to the database. The whole cache is
 * dropped when an account, a domain or a key changes on any node.
 */
export class Credentials implements Part {
  readonly name = 'credentials'
  readonly #store: Store
  readonly #clock: Clock
  readonly #log: Log
  readonly #byHash = cacheOf<Credential>('credentials')
  /** Sets of scopes by their stored text, shared by all credentials with the same scopes. */
  readonly #scopes = cacheOf<ReadonlySet<Scope>>('scope_sets')
  /** Number of times the cache was dropped, so that a row read before a change is not cached after the change. */
  #epoch = 0
  #publicOrigins: Promise<ReadonlySet<string>> | undefined
  #used = new Map<string, { id: string; account_id: string; last_used_at: number; address: string }>()
  /** Networks from which keys were used and which this node has written, as the ID of a key and a network. */
  readonly #usedNetworks = new Set<string>()
  /** Days of refusals that this node has written, as the ID of a key and a day. */
  readonly #refusals = new Set<string>()
  readonly #noting = new Set<Promise<unknown>>()
  #lastWrite = 0
  #writing: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined

  constructor(store: Store, clock: Clock, log: Log, watch: VersionWatch) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    watch.on('access', () => {
      this.#epoch++
      this.#byHash.clear()
      this.#publicOrigins = undefined
    })
  }

  async stop(): Promise<void> {
    this.#cancelTimer?.()
    await this.#writing
    await this.#writeUse()
    await Promise.all(this.#noting)
  }

  /**
   * Returns the credential with this secret, synchronously if the credential is cached; undefined if the credential is
   * unknown, revoked or expired. Throws `unavailable` when the store cannot be read.
   */
  find(secret: string): Credential | undefined | Promise<Credential | undefined> {
    const hash = hashSecret(secret)
    const known = this.#byHash.get(hash)
    return known === undefined ? this.#load(hash) : this.#ifValid(known)
  }

  /** True if a public key of any account lists this origin. Throws `unavailable` when the store cannot be read. */
  async isPublicOrigin(origin: string): Promise<boolean> {
    this.#publicOrigins ??= reading(listPublicOrigins(this.#store.urgentRead)).then(
      (lists) => new Set(lists.flatMap((list) => listOf(list) ?? [])),
    )
    try {
      return (await this.#publicOrigins).has(origin)
    } catch (error) {
      this.#publicOrigins = undefined
      throw error
    }
  }

  async #load(hash: string): Promise<Credential | undefined> {
    const epoch = this.#epoch
    const stored = await reading(findCredential(this.#store.urgentRead, hash))
    if (stored === undefined) return undefined
    const found = this.#credentialOf(stored, hash)
    if (epoch === this.#epoch) this.#byHash.set(hash, found, bytesOf(stored))
    return this.#ifValid(found)
  }

  /** Returns a credential with its rights in the form of the checks, which requests then need not parse. */
  #credentialOf(stored: StoredCredential, hash: string): Credential {
    const { hash: present, previous_hash: _, origins, managed, ...key } = stored
    const isOperator = key.account_id === key.operating_account_id
    const networks = listOf(key.networks)
    const recipients = listOf(key.recipients)
    return {
      ...key,
      scopes: withOwnInbox(key, this.#scopesOf(key.scopes, isOperator)),
      grants: this.#scopesOf(key.grants, isOperator),
      ...{ networks, recipients },
      origins: new Set(listOf(origins) ?? []),
      permittedNetworks: networks && new Networks(networks),
      permittedRecipients: recipients && new PermittedRecipients(recipients),
      managed: new Map(managed.map((domain) => [domain.id, domain])),
      secretUntil: hash === present ? null : key.previous_until,
    }
  }

  /** Parses a list of scopes; only keys of the operating account have the scopes of the operator. */
  #scopesOf(text: string, isOperator: boolean): ReadonlySet<Scope> {
    const name = isOperator ? `operator ${text}` : text
    let scopes = this.#scopes.get(name)
    if (scopes === undefined) {
      const words: readonly string[] = JSON.parse(text)
      scopes = new Set(words.filter(isScope).filter((scope) => isOperator || !isOfOperator(scope)))
      this.#scopes.set(name, scopes, bytesOf(words))
    }
    return scopes
  }

  #ifValid(credential: Credential): Credential | undefined {
    const { revoked_at, domain_deleted_at, expires_at, secretUntil } = credential
    if (revoked_at !== null || domain_deleted_at !== null) return undefined
    const now = this.#clock.now()
    if (expires_at !== null && expires_at <= now) return undefined
    return secretUntil !== null && secretUntil <= now ? undefined : credential
  }

  /** Records that a credential was used now by the client at `address`. */
  used({ id, account_id }: Pick<Credential, 'id' | 'account_id'>, address: string): void {
    const now = this.#clock.now()
    const used = this.#used.get(id)
    if (used === undefined) this.#used.set(id, { id, account_id, last_used_at: now, address })
    else {
      used.last_used_at = now
      used.address = address
    }
    this.#writeUseLater()
  }

  /** True if the client at `address` may use a credential; the first refusal of a day is noted for the owners. */
  permits(credential: Credential, address: string): boolean {
    if (credential.permittedNetworks?.includes(address) !== false) return true
    const { id, account_id: accountId } = credential
    const now = this.#clock.now()
    if (!addTo(this.#refusals, `${id} ${dayOf(now)}`)) return false
    this.#note(this.#store.write(noteRefusedNetwork, { accountId, id, address, now }))
    return false
  }

  /** Waits for a note when this part stops. A failed note is logged and not repeated. */
  #note(work: Promise<unknown>): void {
    const noted: Promise<unknown> = work
      .catch((error: unknown) => this.#log.warn({ err: error }, 'cannot note the network of a credential'))
      .finally(() => this.#noting.delete(noted))
    this.#noting.add(noted)
  }

  /** Writes the last uses of credentials now, or once enough time has passed since the last write. */
  #writeUseLater(): void {
    if (this.#writing !== undefined || this.#cancelTimer !== undefined) return
    const wait = this.#lastWrite + USE_WRITE_MS - this.#clock.now()
    const write = (): void => {
      this.#cancelTimer = undefined
      this.#writing = this.#writeUse().finally(() => {
        this.#writing = undefined
        if (this.#used.size > 0) this.#writeUseLater()
      })
    }
    if (wait <= 0) write()
    else this.#cancelTimer = this.#clock.after(wait, write)
  }

  /** Writes the times at which credentials were last used. A failed write is logged and not repeated. */
  async #writeUse(): Promise<void> {
    this.#lastWrite = this.#clock.now()
    const used = this.#used
    if (used.size === 0) return
    this.#used = new Map()
    const uses: readonly KeyUse[] = [...used.values()].map(({ address, ...use }) => ({
      ...use,
      last_used_from: shownNetwork(address),
    }))
    await Promise.all(uses.map((one) => this.#store.write(recordKeyUse, one))).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'cannot record when credentials were last used'),
    )
    for (const { id, account_id: accountId, last_used_from: network, last_used_at: now } of uses) {
      if (network === null || !addTo(this.#usedNetworks, `${id} ${network}`)) continue
      this.#note(this.#store.write(noteUsedNetwork, { accountId, id, network, now }))
    }
  }
}

/** Adds a text to a set of limited size; returns false if the set has the text. */
function addTo(set: Set<string>, text: string): boolean {
  if (set.has(text)) return false
  if (set.size >= MAX_NOTED) set.clear()
  set.add(text)
  return true
}

/** Returns the scopes of a key; a test key that reads messages also reads its own inbox. */
function withOwnInbox(
  { mode, kind }: Pick<StoredCredential, 'mode' | 'kind'>,
  scopes: ReadonlySet<Scope>,
): ReadonlySet<Scope> {
  const reads = mode === 'test' && kind === 'sending' && scopes.has('messages:read')
  return reads ? scopes.union(new Set<Scope>(['inboxes:read'])) : scopes
}

const listOf = (text: string | null): readonly string[] | null => (text === null ? null : JSON.parse(text))
