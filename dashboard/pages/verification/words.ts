// Meaning of the results of a verification, in words.

import type { Tone } from '../../parts/status-badge.tsx'
import type { Detailed } from './calls.ts'

export const RESULTS: Readonly<Record<string, { readonly tone: Tone; readonly title: string }>> = {
  deliverable: { tone: 'good', title: 'The mailbox accepts mail' },
  risky: { tone: 'waiting', title: 'Mail may bounce or may be unwanted' },
  undeliverable: { tone: 'bad', title: 'Mail will bounce' },
  unknown: { tone: 'quiet', title: 'The address could not be verified' },
}

const REASONS: Readonly<Record<string, string>> = {
  mailbox_exists: 'The mail host confirmed the mailbox.',
  invalid_syntax: 'The syntax of the address is invalid.',
  domain_not_found: 'The domain does not exist.',
  no_mail_server: 'The domain has no mail host.',
  null_mx: 'The domain accepts no mail (null MX record).',
  mailbox_not_found: 'The mail host reported that the mailbox does not exist.',
  mailbox_disabled: 'The mailbox is disabled.',
  catch_all: 'The mail host accepts every address of the domain, so the mailbox cannot be verified.',
  disposable: 'The domain belongs to a provider of disposable addresses.',
  mailbox_full: 'The mailbox is full.',
  suppressed: 'Earlier messages from your account to this address bounced or drew a complaint.',
  dns_error: 'The name servers of the domain did not answer.',
  connect_failed: 'The mail host could not be reached.',
  timeout: 'The mail host did not answer in time.',
  greylisted: 'The mail host uses greylisting; verify again in a few minutes.',
  blocked: 'The mail host blocked the connection, which says nothing about the mailbox.',
  smtp_error: 'The mail host replied with an error that says nothing about the mailbox.',
}

export const reasonOf = ({ internalResult }: Detailed): string => REASONS[internalResult] ?? internalResult

const yes = (value: boolean | undefined, words: string, otherwise: string): string | undefined =>
  value === undefined ? undefined : value ? words : otherwise

/** Everything that is known, with what it means; undefined where it is not known. */
export function detailsOf(answer: Detailed): readonly (readonly [name: string, value: string | undefined])[] {
  const { smtpCode, latencyMs } = answer
  return [
    ['Internal result', answer.internalResult],
    ['Mailbox', answer.account],
    ['Tag', answer.tag],
    ['Provider', answer.esp],
    ['Mail host', answer.mxServer],
    ['Mail host IP', answer.mxServerIp],
    ['Reply code', smtpCode === undefined ? undefined : `${smtpCode} (${replyOf(smtpCode)})`],
    [
      'Catch-all',
      yes(answer.catchAll, 'Yes: a random address was accepted as well', 'No: a random address was rejected'),
    ],
    ['Role', yes(answer.isRole, 'Yes: a function such as info or support, not a person', 'No')],
    ['Free provider', yes(answer.isFree, 'Yes: anyone can create a mailbox there', 'No')],
    ['No-reply', yes(answer.isNoReply, 'Yes: replies to such addresses are usually not read', 'No')],
    ['Duration', `${latencyMs} ms`],
  ]
}

const replyOf = (code: number): string =>
  code < 300 ? 'accepted' : code < 400 ? 'intermediate' : code < 500 ? 'temporary failure' : 'rejected'
