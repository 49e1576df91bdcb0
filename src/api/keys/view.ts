// Views of API keys.

import type { Scope } from '../../access/scopes.ts'
import { formatTime } from '../../lib/rfc3339.ts'
import { BY_COMMAND_LINE, BY_OPERATOR, isOfVerification } from '../../model/key-kind.ts'
import { domainsOfKeys, type ListedDomain, livingMakers } from '../../store/access/key-reads.ts'
import type { Key } from '../../store/access/keys.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { KeyView } from '../contract/key.ts'

/** Makers that are neither users nor keys. */
const NAMED_MAKERS: ReadonlySet<string> = new Set([BY_OPERATOR, BY_COMMAND_LINE])

/** Returns keys of an account with the names of their domains. */
export async function keyViews(
  read: Read,
  accountId: string,
  keys: readonly Key[],
  now: number,
): Promise<KeyView[]> {
  const makers = keys.flatMap(({ created_by }) => (created_by === null ? [] : [created_by]))
  const [domains, living] = await reading(
    Promise.all([
      domainsOfKeys(
        read,
        accountId,
        keys.map(({ id }) => id),
      ),
      livingMakers(read, accountId, makers),
    ]),
  )
  return keys.map((key) => keyView(key, domains.get(key.id) ?? [], living, now))
}

function keyView(
  key: Key,
  domains: readonly ListedDomain[],
  living: ReadonlySet<string>,
  now: number,
): KeyView {
  const { created_by: maker, previous_until: until } = key
  const isKnown = maker === null || NAMED_MAKERS.has(maker) || living.has(maker)
  const [own] = domains
  return {
    key_id: key.id,
    kind: key.kind as KeyView['kind'],
    mode: key.mode,
    ...(key.inbox_id === null ? {} : { inbox_id: key.inbox_id }),
    name: key.name,
    last4: key.last4,
    ...(key.domain_id === null || own === undefined ? {} : { domain: own.name, domain_id: own.id }),
    domains: namesOf(key, domains),
    scopes: scopesOf(key.scopes),
    grants: scopesOf(key.grants),
    networks: listOf(key.networks),
    origins: listOf(key.origins),
    recipients: listOf(key.recipients),
    rate: key.rate,
    created_at: new Date(key.created_at).toISOString(),
    created_by: isKnown ? maker : 'gone',
    last_used_at: formatTime(key.last_used_at),
    last_used_from: key.last_used_from,
    expires_at: formatTime(key.expires_at),
    rotating_until: until !== null && until > now ? formatTime(until) : null,
    revoked_at: formatTime(key.revoked_at),
  }
}

const listOf = (text: string | null): string[] | null => (text === null ? null : JSON.parse(text))

const scopesOf = (text: string): Scope[] => JSON.parse(text)

/** Returns the names of the domains of a key, without those that are deleted; null for a key that lists no domains. */
function namesOf({ kind, every_domain }: Key, domains: readonly ListedDomain[]): string[] | null {
  if (isOfVerification(kind) || every_domain === 1) return null
  return domains.filter(({ deleted_at }) => kind === 'sending' || deleted_at === null).map(({ name }) => name)
}
