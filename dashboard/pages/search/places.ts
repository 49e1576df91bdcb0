// Pages of the dashboard that the search finds by their names.

import { account } from '../../texts/en/account.ts'
import { activity } from '../../texts/en/activity.ts'
import { operator } from '../../texts/en/operator.ts'
import { shell } from '../../texts/en/shell.ts'
import { verification } from '../../texts/en/verification.ts'

/** A page that the current user may open. */
export interface Place {
  readonly address: string
  readonly title: string
  /** Name of the part of the dashboard, or of the domain, that the page belongs to. */
  readonly about?: string
}

interface Rights {
  /** True if the user may read test inboxes. */
  readonly mayDevelop: boolean
  /** True if the user may read the audit log. */
  readonly mayAudit: boolean
  readonly isOperator: boolean
}

/** Domain whose workspace the search covers. */
interface SearchedDomain {
  readonly domain_id: string
  readonly domain_unicode: string
}

const of = (
  about: string,
  ...pages: readonly (readonly [address: string, title: string])[]
): readonly Place[] => pages.map(([address, title]) => ({ address, title, about }))

const placesOf = ({ mayDevelop, mayAudit, isOperator }: Rights): readonly Place[] => [
  { address: '/', title: shell.home },
  { address: '/activity', title: shell.activity },
  ...of(shell.activity, ['/activity/requests', activity.requests]),
  { address: '/statistics', title: shell.statistics },
  { address: '/deliverability', title: shell.deliverability },
  { address: '/domains', title: shell.domains },
  ...of(
    shell.verification,
    ['/verification', verification.tabs.check],
    ['/verification/lists', verification.tabs.lists],
    ['/verification/keys', verification.tabs.keys],
    ['/verification/credits', verification.tabs.credits],
  ),
  ...(mayDevelop ? [{ address: '/inboxes', title: shell.inboxes }] : []),
  { address: '/account', title: shell.account },
  ...of(
    shell.account,
    ['/account/users', account.users],
    ['/account/keys', account.managementKeys],
    ['/account/usage', account.usage],
    ['/account/events', account.events],
  ),
  ...(mayAudit ? of(shell.account, ['/account/audit', account.auditLog]) : []),
  ...of(shell.account, ['/account/profile', account.profile]),
  ...(isOperator
    ? of(
        shell.operator,
        ['/operator', operator.tabs.health],
        ['/operator/queue', operator.tabs.queue],
        ['/operator/accounts', operator.tabs.accounts],
        ['/operator/nodes', operator.tabs.nodes],
      )
    : []),
]

const workspaceOf = ({ domain_id: id, domain_unicode: about }: SearchedDomain): readonly Place[] =>
  Object.entries(shell.workspace).map(([part, title]) => ({
    address: `/domains/${id}/${part}`,
    title,
    about,
  }))

/** Maximum number of pages in a search result. */
const MAX_PLACES = 5

const plain = (text: string): string => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
const wordsOf = (text: string): string[] => plain(text).match(/[\p{L}\p{N}.-]+/gu) ?? []

/**
 * Returns the pages whose title contains the typed words, without case and accents; a typed word may be the beginning
 * of a word. Further typed words may name the domain or the part of the dashboard.
 */
export function findPlaces(
  sought: string,
  rights: Rights,
  domains: readonly SearchedDomain[],
): readonly Place[] {
  const typed = wordsOf(sought)
  if (typed.length === 0 || sought.includes('@')) return []
  const begins = (words: readonly string[]) => (one: string) => words.some((word) => word.startsWith(one))
  return [...placesOf(rights), ...domains.flatMap(workspaceOf)]
    .filter(({ title, about = '' }) => {
      const ofTitle = wordsOf(title)
      return typed.some(begins(ofTitle)) && typed.every(begins([...ofTitle, ...wordsOf(about)]))
    })
    .slice(0, MAX_PLACES)
}
