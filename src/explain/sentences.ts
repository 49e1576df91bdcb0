// The English sentences of an explanation: its summary, its facts and its next step.

import { formatTime } from '../lib/rfc3339.ts'
import type { Fact, FactKind, NextStep, StepCode, Values, Verdict } from './explanation.ts'

/** Returns one sentence with the verdict about mail to an address. */
export function summaryOf(verdict: Verdict, email: string, [first]: readonly Fact[]): string {
  return SUMMARIES[verdict](email, first?.values ?? {}, timeOf(first?.at ?? null))
}

type Summary = (email: string, values: Values, when: string) => string

const SUMMARIES: Readonly<Record<Verdict, Summary>> = {
  erased: (email) => `The data about ${email} were erased, so the outcome of the mail is not known.`,
  never_asked: (email) => `No message to ${email} was submitted.`,
  refused_at_the_door: (email, _, when) =>
    `The request to send to ${email} was refused${when}; nothing was sent.`,
  cancelled: (email, _, when) => `The message to ${email} was cancelled${when}, before it was delivered.`,
  held: (email, _, when) =>
    `The mail to ${email} is held${when.replace(' at ', ' since ')}, and no attempt is made.`,
  scheduled: (email, { send_at = '' }) =>
    `The message to ${email} is scheduled, and will be sent at ${send_at}.`,
  suppressed: (email) => `Nothing was sent to ${email}, because the address is on a suppression list.`,
  bounced_afterwards: (email, { host = '' }, when) =>
    `A host accepted the message to ${email}, and reported${when} that it could not deliver the message${of(host)}.`,
  refused: (email, { host = '' }, when) =>
    host === ''
      ? `The message to ${email} was given up${when}, and no mail host was contacted.`
      : `The host ${host} refused the message to ${email}${when}.`,
  given_up: (email, _, when) => `The delivery to ${email} was given up${when}.`,
  waiting: (email) => `The message to ${email} waits in the queue; the service is trying to deliver it.`,
  delivered_by_receiver: (email, { host = '' }, when) =>
    `The host ${host} accepted the message to ${email}${when}; look for the message in the spam folder there.`,
  test: (email) =>
    `The message to ${email} was sent with a test credential, so it went to a test inbox and not to the recipient.`,
}

const of = (host: string): string => (host === '' ? '' : ` (${host})`)
const timeOf = (at: number | null): string => (at === null ? '' : ` at ${formatTime(at)}`)
const replied = ({ reply = '' }: Values): string => (reply === '' ? '' : ` Reply: ${reply}`)

/** Returns the sentence of a fact. */
export const factText = ({ kind, values }: Fact): string => FACTS[kind](values)

const FACTS: Readonly<Record<FactKind, (values: Values) => string>> = {
  recipient_erased: () => 'A recipient of this message was erased.',
  erased_suppression: ({ list = '', stream, reason }) =>
    `The data about the address were erased. A hash keeps it on the suppression list of ${ownerOf(list, stream)} (${reason}).`,
  no_message: ({ email }) => `No message to ${email} is stored.`,
  unknown_message: ({ message_id }) => `There is no message ${message_id}.`,
  other_recipients: ({ email }) => `The message has no recipient ${email}.`,
  similar_address: ({ email }) => `Messages were sent to the similar address ${email}.`,
  other_domain: ({ domain }) => `The domain ${domain} has sent messages to this address.`,
  record_removed: ({ message_id }) => `The record of the message ${message_id} to this address was removed.`,
  records_removed: () => 'Records of older messages were removed, because their retention has ended.',
  request_refused: ({ status, code, request, fields }) =>
    `${request} was refused with ${status} ${code}${fields === '' ? '' : `: ${fields}`}.`,
  row_refused: ({ line, bulk, reason }) => `Line ${line} of the bulk ${bulk} was refused: ${reason}`,
  row_waits: ({ line, bulk }) => `Line ${line} of the bulk ${bulk} has not become a message yet.`,
  bulk_paused: ({ line, bulk, reason }) =>
    `Line ${line} waits, because the bulk ${bulk} is paused${reason === '' ? '.' : `: ${reason}`}`,
  bulk_cancelled: ({ line, bulk }) => `The bulk ${bulk} was cancelled before line ${line} became a message.`,
  cancelled: ({ by }) => `The message was cancelled${CANCELLED_BY[by ?? ''] ?? ''}.`,
  held: ({ reason }) => reason ?? '',
  scheduled: ({ send_at }) => `The sender chose the time ${send_at}.`,
  suppressed: ({ stream, reason }) =>
    `The address was on the suppression list of the stream ${stream}${reason === '' ? '' : ` (${reason})`}; no attempt was made.`,
  suppression: ({ list = '', stream, reason, message_id }) =>
    `The address is on the suppression list of ${ownerOf(list, stream)} (${reason}${message_id === undefined ? '' : `, because of the message ${message_id}`}).`,
  suppression_removed: () => 'The address is no longer on this suppression list.',
  bounced_afterwards: (values) =>
    `A bounce report came back (${values.category}). ${fault(values)}${replied(values)}`,
  refused: (values) => `${values.reason} Category: ${values.category}. ${fault(values)}${replied(values)}`,
  given_up: (values) => `${values.reason} Category: ${values.category}.${replied(values)}`,
  deferred: (values) =>
    `Attempt ${values.attempts} was deferred: ${values.reason}${replied(values)}${values.next_attempt_at === undefined ? '' : ` Next attempt: ${values.next_attempt_at}.`}`,
  queued: ({ state, waits_for }) =>
    `The message is in the queue (${state}${waits_for === '' ? '' : `, waits for ${waits_for}`}).`,
  sending: ({ host }) => `An attempt for ${host} is in progress.`,
  test: ({ status }) => `The message is a test message; in its test inbox its status is ${status}.`,
  delivered: (values) => `The host ${values.host} accepted the message.${replied(values)}`,
  authentication: ({ dkim, spf, dmarc }) =>
    `The message is signed. DNS records at the last check: DKIM ${dkim}, return path (SPF) ${spf}, DMARC ${dmarc}.`,
  opened: () => 'The recipient opened the message.',
  clicked: () => 'The recipient followed a link of the message.',
  not_opened: () => 'The message is tracked, and no open was recorded.',
  complained: () => 'The recipient reported the message as spam.',
  dialog: ({ host, lines }) => `End of the dialog with ${host}:\n${lines}`,
  accepted: ({ subject, stream }) => `The message “${subject}” was accepted in the stream ${stream}.`,
  other_message: ({ subject, verdict }) => `Another message to the address, “${subject}”: ${verdict}.`,
  verified: ({ result }) => `The last verification of the address: ${result}.`,
}

const ownerOf = (list: string, stream: string | undefined): string =>
  list === 'stream' ? `the stream ${stream}` : `the whole ${list}`

const fault = ({ fault: party = '' }: Values): string => FAULTS[party] ?? ''

const FAULTS: Readonly<Record<string, string>> = {
  recipient: 'The cause is the address or the mailbox of the recipient.',
  receiver: 'The cause is the receiving host or the way to it.',
  sender: 'The cause is the message, or the reputation or the records of the sender.',
}

const CANCELLED_BY: Readonly<Record<string, string>> = {
  sender: ' by its sender',
  operator: ' by the operator',
  domain: ', because its sending domain was deleted',
}

/** Returns the sentence of a next step. */
export const stepText = ({ code }: NextStep): string => STEPS[code]

const STEPS: Readonly<Record<StepCode, string>> = {
  send_message: 'Send the message, or send it again.',
  use_similar_address: 'Ask about the similar address, which is probably the correct one.',
  name_domain: 'Ask about the mail of the other domain.',
  correct_request: 'Correct what the refusal names, and send the message again.',
  remove_suppression: 'Make sure that the address receives mail, and remove it from the suppression list.',
  verify_address: 'Verify the address, and ask the recipient for the correct one.',
  resume_domain: 'Resume the sending domain.',
  look_again: 'Ask again after the next attempt, or after the hold or the chosen time has ended.',
  look_at_message: 'Read the reply and the attempts of the message, and correct the cause.',
  look_at_bulk: 'Look at the state of the bulk.',
  ask_recipient:
    'Ask the recipient to look in the spam folder; the reply of the host identifies the message there.',
}
