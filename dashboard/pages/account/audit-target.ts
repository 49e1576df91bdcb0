// The page of the object that an audit log entry is about.

import type { AuditEntry } from './calls.ts'

/**
 * Paths in the workspace of a domain, by prefix of the object ID; a path that ends with a slash is followed by the ID.
 */
const IN_WORKSPACE: Readonly<Record<string, string>> = {
  msg: 'messages/',
  blk: 'bulk/',
  tpl: 'templates/',
  lay: 'layouts/',
  whk: 'webhooks/',
  key: 'keys',
  smtp: 'smtp',
}

/** Paths outside the workspaces, by prefix of the object ID. */
const BESIDE: Readonly<Record<string, string>> = {
  ver: '/verification/lists/',
  usr: '/account/users',
  inv: '/account/users',
}

/** Pages of the keys outside the workspaces, by kind of key. */
const OF_KEYS: Readonly<Record<string, string>> = {
  management: '/account/keys',
  verification: '/verification/keys',
}

/**
 * Returns the name of the changed object: its present name, the name in the details of the entry, or otherwise its
 * ID. Returns undefined for a session, because the ID of a session tells a reader nothing, and for an entry without
 * an object.
 */
export function targetName({
  target,
  target_name: name,
  detail,
}: Pick<AuditEntry, 'target' | 'target_name' | 'detail'>): string | undefined {
  if (target === null || target.startsWith('ses_')) return undefined
  if (name !== null) return name
  if (!/^[a-z]{3,4}_[0-9A-Z]{26}$/.test(target)) return target
  const told = [detail.name, detail.email].find((one) => typeof one === 'string')
  return (told as string | undefined) ?? target
}

/**
 * Returns the path of the page of the changed object; undefined if the object has no page, or no longer exists.
 *
 * @param domains IDs of the domains of the account by domain name
 */
export function targetAddress(
  { target, action, detail }: Pick<AuditEntry, 'target' | 'action' | 'detail'>,
  domains: ReadonlyMap<string, string>,
): string | undefined {
  const kind = /^([a-z]{3,4})_[0-9A-Z]{26}$/.exec(target ?? '')?.[1] ?? ''
  if (target === null || /\.(delete|remove)$/.test(action)) return undefined
  if (kind === 'dom') return [...domains.values()].includes(target) ? `/domains/${target}/dns` : undefined
  const beside = BESIDE[kind]
  if (beside !== undefined) return beside.endsWith('/') ? `${beside}${target}` : beside
  const ofKeys = kind === 'key' ? OF_KEYS[String(detail.kind)] : undefined
  if (ofKeys !== undefined) return ofKeys
  const part = IN_WORKSPACE[kind]
  const domain = domains.get(String(detail.domain))
  if (kind === 'whk' && detail.domain === undefined) return `/account/webhooks/${target}`
  // IDs of inbound messages have the same prefix.
  if (kind === 'inb' && /^(?:test-)?inbox\./.test(action)) return `/inboxes/${target}`
  // The activity of a message links to the page of the message.
  if (kind === 'msg' && domain === undefined) return `/activity?search=${target}`
  if (part === undefined || domain === undefined) return undefined
  return `/domains/${domain}/${part}${part.endsWith('/') ? target : ''}`
}
