// Meaning of the results of a verification, in words.

import type { Tone } from '../../parts/status-badge.tsx'
import type { Detailed } from './calls.ts'

export const RESULTS: Readonly<Record<string, { readonly tone: Tone; readonly title: string }>> = {
  deliverable: { tone: 'good', title: 'Mail can be sent there' },
  risky: { tone: 'waiting', title: 'Mail may arrive, or may not be wanted' },
  undeliverable: { tone: 'bad', title: 'Mail will not arrive' },
  unknown: { tone: 'quiet', title: 'It could not be found out' },
}

const REASONS: Readonly<Record<string, string>> = {
  mailbox_exists: 'The receiving host says that the mailbox exists.',
  invalid_syntax: 'This is not written as an email address can be.',
  domain_not_found: 'The domain does not exist.',
  no_mail_server: 'The domain has no host that takes mail.',
  null_mx: 'The domain says of itself that it takes no mail (a null MX record).',
  mailbox_not_found: 'The receiving host says that there is no such mailbox.',
  mailbox_disabled: 'The mailbox exists, but is switched off.',
  catch_all: 'The host takes mail for any name, so nobody can tell whether this mailbox exists.',
  disposable: 'The address is of a provider of throw-away mailboxes.',
  mailbox_full: 'The mailbox is full and takes no mail at present.',
  suppressed: 'Your own mail to this address bounced, or somebody there complained about it.',
  dns_error: 'The name servers of the domain did not answer.',
  connect_failed: 'No connection to the receiving host could be made.',
  timeout: 'The receiving host did not answer in time.',
  greylisted: 'The host wants to be asked again later before it says anything.',
  blocked: 'The host refused to talk to us; that says nothing about the mailbox.',
  smtp_error: 'The host answered with an error that says nothing about the mailbox.',
}

export const reasonOf = ({ internalResult }: Detailed): string => REASONS[internalResult] ?? internalResult

const yes = (value: boolean | undefined, words: string, otherwise: string): string | undefined =>
  value === undefined ? undefined : value ? words : otherwise

/** Everything that is known, with what it means; undefined where it is not known. */
export function detailsOf(answer: Detailed): readonly (readonly [name: string, value: string | undefined])[] {
  const { smtpCode, latencyMs } = answer
  return [
    ['Reason', answer.internalResult],
    ['Mailbox', answer.account],
    ['Tag', answer.tag],
    ['Provider', answer.esp],
    ['Mail host', answer.mxServer],
    ['Address of the host', answer.mxServerIp],
    ['Reply code', smtpCode === undefined ? undefined : `${smtpCode} (${replyOf(smtpCode)})`],
    [
      'Catch-all',
      yes(answer.catchAll, 'Yes: a made-up mailbox was taken too', 'No: a made-up mailbox was refused'),
    ],
    ['Role', yes(answer.isRole, 'Yes: a function such as info or support, not a person', 'No')],
    ['Free provider', yes(answer.isFree, 'Yes: anybody gets a mailbox there', 'No')],
    ['No-reply', yes(answer.isNoReply, 'Yes: by its name, nobody reads what is sent there', 'No')],
    ['Took', `${latencyMs} ms`],
  ]
}

const replyOf = (code: number): string =>
  code < 300 ? 'taken' : code < 400 ? 'go on' : code < 500 ? 'not now' : 'refused'
