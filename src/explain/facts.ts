// Reads the facts from which an explanation is derived. Nothing is stored for explanations.

import type { FieldProblem } from '../model/problem.ts'
import { type RequestRow, refusedRequestsTo } from '../store/access/request-log.ts'
import { type RowWithoutMessage, rowsWithoutMessageFor } from '../store/bulk/bulk-results.ts'
import type { Read } from '../store/database/store.ts'
import { verificationsTo } from '../store/person/address-record.ts'
import {
  erasedSuppressionsTo,
  findNamedMessage,
  type MailQuestion,
  type MailTo,
  readMailTo,
  type SenderRecord,
  senderRecords,
  suppressionsTo,
} from '../store/person/explained-mail.ts'
import {
  domainWithMailTo,
  type RemovedMessage,
  recordsRemovedBefore,
  removedMessageTo,
  similarAddresses,
} from '../store/person/traces-of-mail.ts'
import type { ListedMessage } from '../store/search/message-search.ts'
import type { Suppression } from '../store/workspace/suppressions.ts'

/** A question about mail to an address, and the data that the asker may read. */
export interface Question extends MailQuestion {
  readonly accountId: string
  /** Names of the domains in question, by ID. */
  readonly domains: ReadonlyMap<string, string>
  /** Names of the other domains that the asker may read, by ID. */
  readonly otherDomains: ReadonlyMap<string, string>
  /** True if the asker may read refused requests without a domain, which belong to the whole account. */
  readonly ofAccount: boolean
  /** True if the asker may read the verifications of the account. */
  readonly seesVerifications: boolean
  /** Keyed hash of the address in the request log. */
  readonly hash: string
}

/** Traces of mail to an address without a message. */
interface Traces {
  /** Addresses in lower case that resemble the address. */
  readonly similar: readonly string[]
  /** Name of another domain with messages to the address. */
  readonly otherDomain: string | undefined
  readonly removed: RemovedMessage | undefined
}

/** Latest verification of an address. */
interface Verified {
  readonly result: string
  /** Time of the verification, in milliseconds since the epoch. */
  readonly at: number
}

/** Everything recorded about the mail in question, newest first. */
export interface Facts {
  readonly question: Question
  readonly mail: readonly MailTo[]
  /** The message that the question names; undefined if the question names none, or if the message does not exist. */
  readonly named: ListedMessage | undefined
  readonly suppressions: readonly Suppression[]
  readonly erased: readonly Suppression[]
  /** Refused requests with the address as recipient. */
  readonly requests: readonly RequestRow[]
  /** Rows of bulks for the address that have not become messages. */
  readonly rows: readonly RowWithoutMessage[]
  readonly records: readonly SenderRecord[]
  readonly verified: Verified | undefined
  /** Time before which records of messages were removed because of their age; undefined if none was removed. */
  readonly removedBefore: number | undefined
  /** Read only if there is no message, no refused request and no row of a bulk in question. */
  readonly traces: Traces | undefined
}

/** Maximum numbers of refused requests and of rows of bulks. */
const MAX_REQUESTS = 20
const MAX_ROWS = 20

/** Reads the facts about a question; each statement reads few rows by an index. */
export async function readFacts(read: Read, question: Question): Promise<Facts> {
  const { email, messageId, after = 0 } = question
  const account = accountOf(question)
  const { domainIds } = account
  const [mail, named, suppressions, erased, logged, rows, verified, removedBefore] = await Promise.all([
    readMailTo(read, account, question),
    messageId === undefined ? undefined : findNamedMessage(read, account, messageId),
    suppressionsTo(read, account, email),
    erasedSuppressionsTo(read, account, email),
    refusedRequestsTo(read, question.accountId, question.hash, MAX_REQUESTS),
    rowsWithoutMessageFor(read, account, email, MAX_ROWS),
    question.seesVerifications ? latestVerification(read, account, email) : undefined,
    recordsRemovedBefore(read, domainIds),
  ])
  const requests = logged.filter(({ at, domain_id }) => Number(at) >= after && isVisible(question, domain_id))
  const sent = rows.filter((row) => Number(row.created_at) >= after && !isRepeated(row))
  const senders = [...new Set(mail.map(({ message }) => message.domain_id))]
  const isElsewhere = messageId === undefined && requests.length + sent.length > 0
  const [records, traces] = await Promise.all([
    senderRecords(read, senders),
    mail.length > 0 || isElsewhere ? undefined : tracesOf(read, question),
  ])
  return {
    ...{ question, mail, named, suppressions, erased, records, verified, removedBefore, traces },
    ...{ requests, rows: sent },
  }
}

const accountOf = ({ accountId, domains }: Question) => ({ accountId, domainIds: [...domains.keys()] })

const isVisible = ({ domains, ofAccount }: Question, domainId: string | null): boolean =>
  domainId === null ? ofAccount : domains.has(domainId)

/** True for a row that was refused only because an earlier row is identical, and became the message. */
function isRepeated({ refusal }: RowWithoutMessage): boolean {
  const problems: readonly FieldProblem[] = JSON.parse(refusal ?? '[]')
  return problems.length > 0 && problems.every(({ code }) => code === 'duplicate')
}

async function latestVerification(
  read: Read,
  account: ReturnType<typeof accountOf>,
  email: string,
): Promise<Verified | undefined> {
  for (const { answer, created_at } of await verificationsTo(read, account, email)) {
    const { result }: { readonly result?: string } = JSON.parse(answer ?? '{}')
    if (result !== undefined) return { result, at: Number(created_at) }
  }
  return undefined
}

async function tracesOf(read: Read, question: Question): Promise<Traces> {
  const { email, otherDomains } = question
  const account = accountOf(question)
  const [similar, other, removed] = await Promise.all([
    similarAddresses(read, account, email),
    domainWithMailTo(read, [...otherDomains.keys()], email),
    removedMessageTo(read, account, email),
  ])
  return { similar, removed, otherDomain: other === undefined ? undefined : otherDomains.get(other) }
}
