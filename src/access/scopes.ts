// The scopes of keys: one table of scopes with their roles and kinds of keys, and the ready-made sets of scopes.

import type { KeyKind } from '../model/key-kind.ts'
import { type Role, roleCovers } from '../model/role.ts'

interface ScopeRule {
  /** Lowest role of a user who has the scope; `operator` means an owner of the operating account. */
  readonly role: Role | 'operator'
  /** Kinds of keys that have the scope by default. Every scope may be given to a management key. */
  readonly usual: readonly KeyKind[]
  /** Description of the actions that the scope allows, for the documentation. */
  readonly allows: string
}

const SENDING = ['sending'] as const
const VERIFICATION = ['verification'] as const
const MANAGEMENT = [] as const

/** Every scope, in the order of the documentation. */
export const SCOPES = {
  'messages:send': { role: 'developer', usual: ['sending', 'smtp'], allows: 'Send mail, also by SMTP' },
  'messages:read': {
    role: 'viewer',
    usual: SENDING,
    allows: 'Read lists, messages and events, without contents',
  },
  'content:read': {
    role: 'viewer',
    usual: SENDING,
    allows: 'Read contents: raw messages, attachments, transcripts and inbound bodies',
  },
  'messages:write': {
    role: 'developer',
    usual: SENDING,
    allows: 'Cancel, reschedule, resend, retry and share messages',
  },
  'stats:read': { role: 'viewer', usual: SENDING, allows: 'Read figures, which name no address' },
  'templates:read': { role: 'viewer', usual: SENDING, allows: 'Read and render templates and layouts' },
  'templates:write': { role: 'developer', usual: SENDING, allows: 'Change templates and layouts' },
  'streams:read': { role: 'viewer', usual: SENDING, allows: 'Read streams' },
  'streams:write': { role: 'developer', usual: SENDING, allows: 'Change streams' },
  'suppressions:read': { role: 'viewer', usual: SENDING, allows: 'Read suppressions' },
  'suppressions:write': { role: 'developer', usual: SENDING, allows: 'Add and remove suppressions' },
  'webhooks:read': { role: 'viewer', usual: SENDING, allows: 'Read webhooks and their deliveries' },
  'webhooks:write': { role: 'developer', usual: SENDING, allows: 'Change webhooks, and see new secrets' },
  'inbound:read': { role: 'viewer', usual: SENDING, allows: 'Read lists of inbound messages' },
  'erasures:write': { role: 'developer', usual: SENDING, allows: 'Erase the data about an address' },
  'verifications:check': {
    role: 'developer',
    usual: ['verification', 'public'],
    allows: 'Verify addresses and lists, which takes credits',
  },
  'verifications:read': {
    role: 'viewer',
    usual: VERIFICATION,
    allows: 'Read address lists, results and credits',
  },
  'domains:read': {
    role: 'viewer',
    usual: MANAGEMENT,
    allows: 'Read domains, their records and their hosting',
  },
  'domains:verify': {
    role: 'developer',
    usual: MANAGEMENT,
    allows: 'Look up the records of a domain now, and revoke links to its records',
  },
  'domains:write': { role: 'admin', usual: MANAGEMENT, allows: 'Add, change, pause and delete domains' },
  'keys:read': { role: 'viewer', usual: MANAGEMENT, allows: 'Read keys and SMTP credentials, no secrets' },
  'keys:write': {
    role: 'developer',
    usual: MANAGEMENT,
    allows: 'Create, change, rotate and revoke keys and SMTP credentials',
  },
  'people:read': { role: 'viewer', usual: MANAGEMENT, allows: 'Read users and invitations' },
  'people:write': { role: 'admin', usual: MANAGEMENT, allows: 'Invite, change and remove users, no owners' },
  'account:read': {
    role: 'viewer',
    usual: MANAGEMENT,
    allows: 'Read the account, its limits, its use, its events and its suppressions',
  },
  'account:write': {
    role: 'owner',
    usual: MANAGEMENT,
    allows: 'Rename the account, change its webhooks and its suppressions',
  },
  'audit:read': { role: 'admin', usual: MANAGEMENT, allows: 'Read the audit log' },
  'requests:read': { role: 'viewer', usual: MANAGEMENT, allows: 'Read the request log' },
  'inboxes:read': { role: 'developer', usual: MANAGEMENT, allows: 'Read test inboxes' },
  'inboxes:write': { role: 'developer', usual: MANAGEMENT, allows: 'Change test inboxes' },
  'incidents:read': { role: 'viewer', usual: SENDING, allows: 'Read deliverability incidents and reports' },
  'incidents:write': {
    role: 'developer',
    usual: SENDING,
    allows: 'Mute deliverability incidents, upload reports, and name sources',
  },
  'accounts:read': { role: 'operator', usual: MANAGEMENT, allows: 'Read all accounts' },
  'accounts:write': {
    role: 'operator',
    usual: MANAGEMENT,
    allows: 'Open, change and suspend accounts, and create keys for accounts',
  },
  'operator:read': {
    role: 'operator',
    usual: MANAGEMENT,
    allows: 'Read nodes, health and queue, at the admin listener',
  },
  'operator:write': {
    role: 'operator',
    usual: MANAGEMENT,
    allows: 'Change the queue, at the admin listener',
  },
} as const satisfies Record<string, ScopeRule>

export type Scope = keyof typeof SCOPES

/** All scopes, in the order of the table. */
export const ALL_SCOPES = Object.keys(SCOPES) as readonly Scope[]

const ruleOf = (scope: Scope): ScopeRule => SCOPES[scope]

export const isScope = (text: string): text is Scope => Object.hasOwn(SCOPES, text)

/** True if only keys and owners of the operating account can have the scope. */
export const isOfOperator = (scope: Scope): boolean => SCOPES[scope].role === 'operator'

/** True if a key of this kind may have the scope. */
export const kindMayHave = (kind: KeyKind, scope: Scope): boolean =>
  kind === 'management' || ruleOf(scope).usual.includes(kind)

/** Returns the lowest role of a user who has the scope. */
export const roleOf = (scope: Scope): Role | 'operator' => SCOPES[scope].role

/** Returns the kinds of keys that have the scope by default. */
export const usualKindsOf = (scope: Scope): readonly KeyKind[] => ruleOf(scope).usual

const usualOf = (kind: KeyKind): readonly Scope[] =>
  ALL_SCOPES.filter((scope) => ruleOf(scope).usual.includes(kind))

/** Scopes of a key that is created without a list of scopes, by kind; a management key has no usual scopes. */
export const USUAL_SCOPES: Readonly<Record<KeyKind, readonly Scope[]>> = {
  sending: usualOf('sending'),
  verification: usualOf('verification'),
  smtp: usualOf('smtp'),
  public: usualOf('public'),
  management: [],
}

/** Returns the scopes of a user with this role; `operator` means an owner of the operating account. */
export const scopesOfRole = (role: Role | 'operator'): ReadonlySet<Scope> => OF_ROLES[role]

const ofRole = (role: Role): ReadonlySet<Scope> =>
  new Set(
    ALL_SCOPES.filter((scope) => {
      const { role: wanted } = ruleOf(scope)
      return wanted !== 'operator' && roleCovers(role, wanted)
    }),
  )

const OF_ROLES: Readonly<Record<Role | 'operator', ReadonlySet<Scope>>> = {
  viewer: ofRole('viewer'),
  developer: ofRole('developer'),
  admin: ofRole('admin'),
  owner: ofRole('owner'),
  operator: new Set(ALL_SCOPES),
}

/**
 * Returns the scopes that a word means: a scope, `noun:*`, `*:read` or `*`; undefined for any other word. `*` and
 * `*:read` never mean a scope of the operator.
 */
export function scopesOfPattern(word: string): readonly Scope[] | undefined {
  if (isScope(word)) return [word]
  const [, noun, verb] = /^(\*|[a-z]+)(?::(\*|read))?$/.exec(word) ?? []
  if (noun === undefined) return undefined
  if (noun === '*') {
    if (verb === '*') return undefined
    const all = ALL_SCOPES.filter((scope) => !isOfOperator(scope))
    return verb === undefined ? all : all.filter((scope) => scope.endsWith(':read'))
  }
  const found = verb === '*' ? ALL_SCOPES.filter((scope) => scope.startsWith(`${noun}:`)) : []
  return found.length === 0 ? undefined : found
}

const written = (...words: readonly string[]): readonly Scope[] => {
  const wanted = new Set(words.flatMap((word) => scopesOfPattern(word) ?? []))
  return ALL_SCOPES.filter((scope) => wanted.has(scope))
}

const withoutContent = (scopes: readonly Scope[]): readonly Scope[] =>
  scopes.filter((scope) => scope !== 'content:read')

/** Ready-made sets of scopes for the dashboard and the command line, by name. */
export const SCOPE_SETS = {
  'send-only': written('messages:send'),
  app: USUAL_SCOPES.sending,
  ci: written('templates:*'),
  'read-only': withoutContent(written('*:read')),
  support: written('*:read', 'suppressions:write', 'messages:write'),
  provisioning: written('domains:*', 'keys:*', 'people:*'),
  platform: written('accounts:*'),
} as const satisfies Record<string, readonly Scope[]>

/** Scopes of the sending keys that a provisioning key may create: they cannot read contents. */
const FOR_SENDING = withoutContent(USUAL_SCOPES.sending)

/**
 * Returns the grants of a management key that is created without a list of grants: a key that creates keys may give away
 * the usual scopes of a Sending key without `content:read`, and a key that opens accounts also the set `provisioning`.
 */
export function usualGrants(scopes: readonly Scope[]): readonly Scope[] {
  const opensAccounts = scopes.includes('accounts:write')
  if (!opensAccounts && !scopes.includes('keys:write')) return []
  return written(...FOR_SENDING, ...(opensAccounts ? SCOPE_SETS.provisioning : []))
}
