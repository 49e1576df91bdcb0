// Fields of the form for a management key: the request that they become, and the problems of each field.

import type { ProblemError } from '../../client.ts'
import type { GivenScopes, NewManagementKey, Scope } from './calls.ts'
import { expiryIn } from './expiries.ts'

type SetName = GivenScopes['sets'][number]['name']

/** Fields of the form as the user fills them in. */
export interface Filled {
  readonly name: string
  /** Name of a ready-made set; `own` for single scopes. */
  readonly set: SetName | 'own'
  readonly scopes: ReadonlySet<Scope>
  readonly grants: 'usual' | 'none' | 'own'
  readonly granted: ReadonlySet<Scope>
  readonly domains: 'every' | 'some'
  /** IDs of the chosen domains. */
  readonly chosen: readonly string[]
  /** Networks, one on a line. */
  readonly networks: string
  readonly days: string
}

export const EMPTY: Filled = {
  name: '',
  set: 'own',
  scopes: new Set(),
  grants: 'usual',
  granted: new Set(),
  domains: 'every',
  chosen: [],
  networks: '',
  days: '90',
}

/** Fields that show their problems themselves. */
export const SHOWN: ReadonlySet<string> = new Set(['name', 'scopes', 'networks', 'expires_at'])

/** Returns the field of a path: `networks` of `networks[1]`. */
export const fieldOf = (path: string): string => path.replace(/\[\d+\]$/, '')

/** Returns the messages of a field; a message of a network names its line. */
export function messagesAt(
  errors: ProblemError['errors'],
  field: string,
  filled: Pick<Filled, 'networks'>,
): string | undefined {
  const networks = linesOf(filled.networks)
  const messages = errors
    .filter(({ path }) => fieldOf(path) === field)
    .map(({ path, message }) => {
      const line = field === 'networks' ? networks[Number(/\d+/.exec(path)?.[0] ?? -1)] : undefined
      return line === undefined ? message : `${line}: ${message}`
    })
  return messages.length === 0 ? undefined : messages.join(' ')
}

/** Returns the networks in a text with one network on a line. */
export const linesOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((line) => line !== '')

/** Returns the scopes of the set or the single scopes. */
export const scopesOf = ({ set, scopes }: Filled, given: GivenScopes): readonly Scope[] =>
  set === 'own'
    ? given.scopes.filter((scope) => scopes.has(scope))
    : (given.sets.find(({ name }) => name === set)?.scopes ?? [])

/** True if a key with these scopes creates other keys, so that its grants matter. */
export const createsKeys = (scopes: readonly Scope[]): boolean =>
  scopes.includes('keys:write') || scopes.includes('accounts:write')

/** Returns the request of a form. */
export function bodyOf(filled: Filled, scopes: readonly Scope[]): NewManagementKey {
  const { name, grants, granted, domains, chosen, days } = filled
  const networks = linesOf(filled.networks)
  return {
    name: name.trim(),
    scopes: [...scopes],
    ...(createsKeys(scopes) && grants !== 'usual' ? { grants: grants === 'none' ? [] : [...granted] } : {}),
    ...(domains === 'every' ? {} : { domains: [...chosen] }),
    ...(networks.length === 0 ? {} : { networks: [...networks] }),
    ...expiryIn(days),
  }
}
