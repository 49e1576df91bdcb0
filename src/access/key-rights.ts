// The rule that a key never gives away more than it has: compares a wanted key with the rights of its maker.

import { networkCovers } from '../lib/networks.ts'
import { parseRate, type Rate } from '../lib/rate-limiter.ts'
import type { KeyKind } from '../model/key-kind.ts'
import { PermittedRecipients } from '../model/permitted-recipients.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { Scope } from './scopes.ts'

/** Rights of a key or a user, as far as they limit the keys that it creates. */
export interface Rights {
  readonly scopes: ReadonlySet<Scope>
  /** Scopes that a key may give to keys in addition to its own scopes. */
  readonly grants: ReadonlySet<Scope>
  /** IDs of the domains; null for every domain of the account. */
  readonly domains: ReadonlySet<string> | null
  /** Networks in CIDR notation from which the key may be used; null for any address. */
  readonly networks: readonly string[] | null
  /** Addresses or `*@domain` to which the key may send; null for any address. */
  readonly recipients: readonly string[] | null
  /** Expiry in milliseconds since the epoch; null for a key without an expiry. */
  readonly expiresAt: number | null
  /** Maximum rate of requests. */
  readonly rate: Rate | null
}

/** Rights of a key that is to be created or changed. An undefined field is not part of a change. */
export interface WantedRights {
  readonly kind: KeyKind
  readonly scopes?: readonly Scope[] | undefined
  readonly grants?: readonly Scope[] | undefined
  /** IDs of the domains, in the order of the request; null for every domain of the account. */
  readonly domains?: readonly string[] | null | undefined
  readonly networks?: readonly string[] | null | undefined
  readonly recipients?: readonly string[] | null | undefined
  readonly expiresAt?: number | null | undefined
  /** Rate such as `50/s`; null for the usual rate. */
  readonly rate?: string | null | undefined
}

/** Code of the problems of a key that would have more rights than its maker. */
const BEYOND = 'beyond_own_rights'

const beyond = (path: string, message: string): FieldProblem => ({ path, code: BEYOND, message })

/**
 * Returns the problems of a wanted key that would have more rights than its maker: a scope that is neither among the
 * scopes nor among the grants of the maker, a further domain, network or recipient. A management key also has no later
 * expiry and no higher rate than its maker.
 */
export function beyondOwnRights(maker: Rights, wanted: WantedRights): FieldProblem[] {
  return [
    ...scopeProblems('scopes', maker, wanted.scopes),
    ...scopeProblems('grants', maker, wanted.grants),
    ...domainProblems(maker, wanted.domains),
    ...listProblems('networks', maker.networks, wanted.networks, networkCoveredBy),
    ...listProblems('recipients', maker.recipients, wanted.recipients, recipientCoveredBy),
    ...(wanted.kind === 'management' ? limitProblems(maker, wanted) : []),
  ]
}

/**
 * Returns the problems of a changed key, as `beyondOwnRights`. A change that only takes rights from the key is allowed
 * to everybody who may change keys, even if the key has rights that the maker of the change does not have.
 *
 * @param held rights of the key before the change
 * @param changed all rights of the key after the change
 */
export const beyondByChange = (maker: Rights, held: Rights, changed: WantedRights): FieldProblem[] =>
  beyondOwnRights(held, changed).length === 0 ? [] : beyondOwnRights(maker, changed)

function scopeProblems(
  path: 'scopes' | 'grants',
  { scopes, grants }: Rights,
  wanted: readonly Scope[] = [],
): FieldProblem[] {
  return wanted.flatMap((scope, index) =>
    scopes.has(scope) || grants.has(scope)
      ? []
      : [beyond(`${path}[${index}]`, `You do not have ${scope} and cannot give it away; leave it out.`)],
  )
}

function domainProblems({ domains }: Rights, wanted: WantedRights['domains']): FieldProblem[] {
  if (domains === null || wanted === undefined) return []
  if (wanted === null) {
    return [beyond('domains', 'Your key works on some domains only; name the domains of the new key.')]
  }
  return wanted.flatMap((id, index) =>
    domains.has(id)
      ? []
      : [beyond(`domains[${index}]`, 'Your key does not work on this domain; leave it out.')],
  )
}

const networkCoveredBy = (own: readonly string[]) => (one: string) =>
  own.some((outer) => networkCovers(outer, one))

const recipientCoveredBy = (own: readonly string[]) => {
  const permitted = new PermittedRecipients(own)
  return (one: string) => permitted.covers(one)
}

function listProblems(
  path: 'networks' | 'recipients',
  own: readonly string[] | null,
  wanted: readonly string[] | null | undefined,
  coveredBy: (own: readonly string[]) => (one: string) => boolean,
): FieldProblem[] {
  if (own === null || wanted === undefined) return []
  if (wanted === null) return [beyond(path, `Your key has a list of ${path}; the new key needs one as well.`)]
  const isCovered = coveredBy(own)
  return wanted.flatMap((one, index) =>
    isCovered(one)
      ? []
      : [
          beyond(
            `${path}[${index}]`,
            `Your key does not cover this value; choose one within the ${path} of your key.`,
          ),
        ],
  )
}

/** Returns the problems of a management key that would outlast its maker or make more requests. */
function limitProblems(maker: Rights, { expiresAt, rate }: WantedRights): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (
    maker.expiresAt !== null &&
    expiresAt !== undefined &&
    (expiresAt ?? Number.POSITIVE_INFINITY) > maker.expiresAt
  ) {
    const end = new Date(maker.expiresAt).toISOString()
    problems.push(beyond('expires_at', `Your own key ends at ${end}; give an earlier time.`))
  }
  const asked = rate == null ? undefined : parseRate(rate)
  if (asked !== undefined && maker.rate !== null && perSecond(asked) > perSecond(maker.rate)) {
    problems.push(beyond('rate', 'Your own key has a lower rate; give at most that rate.'))
  }
  return problems
}

const perSecond = ({ count, perMs }: Rate): number => count / perMs
