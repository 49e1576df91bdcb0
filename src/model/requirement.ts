// Requirements of the large receivers for senders, as published by the receivers.

/** Names of the requirements, which stay the same. */
export const REQUIREMENTS = [
  'spf',
  'dkim',
  'dmarc',
  'alignment',
  'ptr',
  'tls',
  'complaint_share',
  'one_click',
  'list_unsubscribe_honoured',
  'message_format',
  'from_header',
] as const
export type Requirement = (typeof REQUIREMENTS)[number]

export const REQUIREMENT_STATUSES = ['met', 'not_met', 'not_known'] as const
export type RequirementStatus = (typeof REQUIREMENT_STATUSES)[number]

/**
 * Sources of a verdict: the own records and replies, the DNS, reports of the receiver (DMARC and complaints), or the
 * figures of Google Postmaster Tools.
 */
export const REQUIREMENT_SOURCES = ['own', 'dns', 'report', 'postmaster'] as const
export type RequirementSource = (typeof REQUIREMENT_SOURCES)[number]

/** DNS checks of an address (PTR with forward DNS, SPF of the return-path host) and of a domain (a mail host). */
export type DnsCheckKind = 'ptr' | 'spf' | 'mail_host'

interface ReceiverRule {
  /** Messages in a UTC day from which a sender is a bulk sender; null if the receiver names no number. */
  readonly bulk: number | null
  readonly requires: readonly Requirement[]
  /** True if the receiver sends complaints by mail (a feedback loop), so that its complaints can be counted. */
  readonly hasLoop: boolean
}

/** Large receivers, named as in `esp`, with their requirements of bulk senders. */
export const RECEIVERS = {
  Gmail: { bulk: 5_000, requires: REQUIREMENTS, hasLoop: false },
  Yahoo: { bulk: null, requires: REQUIREMENTS.filter((one) => one !== 'tls'), hasLoop: true },
  'Outlook.com': {
    bulk: 5_000,
    requires: ['spf', 'dkim', 'dmarc', 'alignment', 'list_unsubscribe_honoured', 'from_header'],
    hasLoop: true,
  },
} as const satisfies Record<string, ReceiverRule>

export type Receiver = keyof typeof RECEIVERS
export const RECEIVER_NAMES = Object.keys(RECEIVERS) as readonly Receiver[]

export const ruleOfReceiver = (receiver: Receiver): ReceiverRule => RECEIVERS[receiver]

/** Requirements that the codes of refusals name: those of Gmail, and the authentication level of Microsoft. */
export const REFUSED_FOR: Readonly<Record<Receiver, Readonly<Record<string, readonly Requirement[]>>>> = {
  Gmail: {
    '4.7.23': ['ptr'],
    '5.7.25': ['ptr'],
    '4.7.27': ['spf'],
    '5.7.27': ['spf'],
    '4.7.29': ['tls'],
    '5.7.29': ['tls'],
    '4.7.30': ['dkim'],
    '5.7.30': ['dkim'],
    '4.7.31': ['dmarc'],
    '4.7.40': ['dmarc'],
    '5.7.40': ['dmarc'],
    '4.7.32': ['alignment'],
    '5.7.32': ['alignment'],
    '5.7.26': ['spf', 'dkim'],
  },
  Yahoo: {},
  'Outlook.com': { '5.7.515': ['alignment'] },
}
