// GET /api/search, /api/addresses/{email} and /api/deferred: messages, addresses, tags and templates in all domains of
// the account.

import { addressBeginning, nulProblems } from '../../../http/filters.ts'
import { wrongCursor } from '../../../http/page.ts'
import { isId } from '../../../lib/ids.ts'
import { isAddress, parseAddress } from '../../../model/address.ts'
import { invalidFields } from '../../../model/problem.ts'
import { type Read, reading } from '../../../store/database/store.ts'
import { listDomainIds } from '../../../store/domains/domain-rows.ts'
import { wholeAccount } from '../../../store/messages/owner.ts'
import { listMessagesTo, MAX_COUNTED, readAddress } from '../../../store/person/address-record.ts'
import {
  domainsInDelivery,
  domainsOfTag,
  findAddresses,
  findByMessageIdHeader,
  findBySubject,
  findInboundById,
  findMessagesById,
  findTags,
  findTemplates,
  type SearchedAccount,
} from '../../../store/search/account-search.ts'
import { countMessages, type ListedMessage } from '../../../store/search/message-search.ts'
import {
  AddressMessages,
  AddressMessagesQuery,
  AddressView,
  DeferredView,
  type MessageOfDomain,
  SearchQuery,
  SearchView,
} from '../../contract/dashboard-search.ts'
import { messageSummary } from '../../messages/view.ts'
import { type DashboardRoute, defineDashboardRoute, sessionOf } from '../route.ts'
import type { DashboardServices } from '../services.ts'
import { readSought, type Sought } from './sought.ts'

export const searchRoutes = (services: DashboardServices): readonly DashboardRoute[] => [
  search(services),
  address(services),
  messagesTo(services),
  deferred(services),
]

/** Maximum number of messages in a search result; the next constants limit addresses, tags and templates. */
const MAX_MESSAGES = 8
const MAX_ADDRESSES = 6
const MAX_TAGS = 4
const MAX_TEMPLATES = 5

async function accountOf(read: Read, accountId: string): Promise<SearchedAccount> {
  return { accountId, domainIds: await listDomainIds(read, accountId, undefined) }
}

const search = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/search',
    role: 'viewer',
    schema: { querystring: SearchQuery, response: { 200: SearchView } },
    async handler(request): Promise<SearchView> {
      const problems = nulProblems(request.query)
      if (problems.length > 0) throw invalidFields(problems)
      const sought = readSought(request.query.q)
      return reading(find(read, await reading(accountOf(read, sessionOf(request).account_id)), sought))
    },
  })

async function find(read: Read, account: SearchedAccount, sought: Sought): Promise<SearchView> {
  const { ids, inboundId, messageId, address, words, tag } = sought
  const [byId, byHeader, bySubject, inbound, addresses, tags, templates] = await Promise.all([
    findMessagesById(read, account, ids),
    messageId === undefined ? [] : findByMessageIdHeader(read, account, messageId, MAX_MESSAGES),
    words === undefined ? [] : findBySubject(read, account, words, MAX_MESSAGES),
    inboundId === undefined ? [] : findInboundById(read, account, inboundId),
    address === undefined ? [] : findAddresses(read, account, addressBeginning(address), MAX_ADDRESSES),
    tag === undefined ? [] : tagsOf(read, account, tag),
    words === undefined || words === '' ? [] : findTemplates(read, account, words, MAX_TEMPLATES),
  ])
  const messages = new Map([...byId, ...byHeader, ...bySubject].map((one) => [one.message.id, one]))
  return {
    messages: [...messages.values()].slice(0, MAX_MESSAGES).map(viewOf),
    inbound: inbound.map(({ id, domain_id, from_email, subject, received_at }) => ({
      ...{ inbound_id: id, domain_id, from: from_email, subject },
      received_at: new Date(received_at).toISOString(),
    })),
    addresses,
    tags,
    templates,
  }
}

async function tagsOf(read: Read, account: SearchedAccount, beginning: string): Promise<SearchView['tags']> {
  const tags = await findTags(read, account, beginning, MAX_TAGS)
  const found = await Promise.all(
    tags.map(async (tag) =>
      (await domainsOfTag(read, account, tag)).map((domain_id) => ({ domain_id, tag })),
    ),
  )
  return found.flat().slice(0, MAX_TAGS)
}

const viewOf = ({ message, recipients }: ListedMessage): MessageOfDomain => ({
  ...messageSummary(message, recipients),
  domain_id: message.domain_id,
})

/** Returns the email address in a path in canonical spelling. Throws `validation_failed`. */
function addressOf(text: string): string {
  const parsed = parseAddress(text)
  if (isAddress(parsed)) return parsed.email
  const message = `This is not an email address: it ${parsed.problem}.`
  throw invalidFields([{ path: 'email', code: 'invalid_email', message }])
}

const address = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/addresses/:email',
    role: 'viewer',
    schema: { response: { 200: AddressView } },
    async handler(request): Promise<AddressView> {
      const email = addressOf(request.params.email)
      const account = await reading(accountOf(read, sessionOf(request).account_id))
      const { statuses, suppressions, verifications } = await reading(readAddress(read, account, email))
      const counted = Object.values(statuses).reduce((sum, count) => sum + count, 0)
      return {
        counts: statuses,
        counted_all: counted < MAX_COUNTED,
        suppressions: suppressions.map(
          ({ domain_id, email: spelling, stream, reason, message_id, created_at }) => ({
            ...{ email: spelling, stream, reason, message_id },
            domain_id: domain_id === wholeAccount(account.accountId).domainId ? null : domain_id,
            created_at: new Date(created_at).toISOString(),
          }),
        ),
        verifications: verifications.map(({ verification_id, name, answer, created_at }) => {
          const { result = null, internalResult = null }: Record<string, string | null> = JSON.parse(
            answer ?? '{}',
          )
          return {
            ...{ verification_id, name, result, reason: internalResult },
            created_at: new Date(created_at).toISOString(),
          }
        }),
      }
    },
  })

const messagesTo = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/addresses/:email/messages',
    role: 'viewer',
    schema: { querystring: AddressMessagesQuery, response: { 200: AddressMessages } },
    async handler(request): Promise<AddressMessages> {
      const { limit = 50, cursor } = request.query
      if (cursor !== undefined && !isId('msg', cursor)) throw wrongCursor()
      const account = await reading(accountOf(read, sessionOf(request).account_id))
      const email = addressOf(request.params.email)
      const { messages, next } = await reading(listMessagesTo(read, account, email, limit, cursor))
      return { data: messages.map(viewOf), next_cursor: next }
    },
  })

const deferred = ({ read }: DashboardServices) =>
  defineDashboardRoute({
    method: 'GET',
    url: '/api/deferred',
    role: 'viewer',
    schema: { response: { 200: DeferredView } },
    async handler(request): Promise<DeferredView> {
      const { account_id: accountId } = sessionOf(request)
      const account = await reading(accountOf(read, accountId))
      const found = await Promise.all(
        (await reading(domainsInDelivery(read, account))).map(async (domainId) => ({
          domain_id: domainId,
          ...(await reading(countMessages(read, { accountId, domainId }, { recipientStatus: 'deferred' }))),
        })),
      )
      return { data: found.filter(({ count, complete }) => count > 0 || !complete) }
    },
  })
