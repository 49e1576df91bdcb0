// Judges what the large receivers require: a pure function of facts. A requirement without a source is not known.

import {
  REFUSED_FOR,
  type Receiver,
  type Requirement,
  type RequirementSource,
  type RequirementStatus,
  ruleOfReceiver,
} from '../model/requirement.ts'

/** A DNS record of a domain, by its last lookup. */
export interface RecordFact {
  readonly status: 'pending' | 'found' | 'mismatch' | 'missing'
  /** The first found value; empty if there is none. */
  readonly value: string
}

/** A DNS check of an address or a domain of the installation. */
interface DnsFact {
  readonly subject: string
  readonly state: RequirementStatus
  readonly detail: string
}

/** DMARC reports of a receiver about a domain, as shares of the reported messages. */
export interface ReportFact {
  readonly messages: number
  readonly dkimPass: number
  readonly spfPass: number
  readonly aligned: number
  /** Last reported day in UTC. */
  readonly asOf: string
}

/** A figure of a receiver about a requirement, from Google Postmaster Tools or from a complaint loop. */
interface ReceiverFigure {
  readonly requirement: Requirement
  readonly receiver: Receiver
  readonly status: RequirementStatus
  readonly measured: number | string | null
  readonly source: RequirementSource
}

/** Everything that is known about a domain. */
export interface RequirementFacts {
  readonly domain: string
  readonly records: {
    readonly dkim: RecordFact
    readonly returnPath: RecordFact
    readonly dmarc: RecordFact
  }
  /** True if a relay sends all mail, whose addresses are unknown. */
  readonly isRelayed: boolean
  /** PTR and forward DNS of each source address, and SPF of the return-path host for each; empty before the checks. */
  readonly ptr: readonly DnsFact[]
  readonly spf: readonly DnsFact[]
  /** Check that the domain receives mail; undefined before the check. */
  readonly mailHost: DnsFact | undefined
  /** Reason why one-click links of broadcast mail do not work; undefined if the links work. */
  readonly unreachableLinks: string | undefined
  /** Aliases of broadcast streams whose senders add the List-Unsubscribe field themselves. */
  readonly ownUnsubscribing: readonly string[]
  /** Number of recent unsubscribes, and of those who got mail of the stream more than two days later. */
  readonly unsubscribed: number
  readonly mailedAfter: number
  /** Refusals of the last day by receiver and code. */
  readonly refusals: readonly {
    readonly provider: string
    readonly code: string
    readonly attempts: number
  }[]
  /** Attempts of the last week by receiver, and those on encrypted connections. */
  readonly encrypted: readonly {
    readonly provider: string
    readonly attempts: number
    readonly encrypted: number
  }[]
  readonly reports: ReadonlyMap<string, ReportFact>
  readonly figures: readonly ReceiverFigure[]
}

/** Verdict about one requirement of one receiver. */
export interface Verdict {
  readonly requirement: Requirement
  readonly status: RequirementStatus
  readonly measured: number | string | null
  readonly threshold: number | string | null
  readonly source: RequirementSource | null
  readonly what_to_do: string | null
}

type Judged = Pick<Verdict, 'status' | 'measured' | 'source'> & { readonly remedy?: string }

/** Complaint share that receivers never accept; they advise a third of it. */
export const MAX_COMPLAINT_SHARE = 0.003
/** Minimum share of messages that pass a check in DMARC reports, since some mail is forwarded and changed. */
const PASS_SHARE = 0.95
/** Minimum number of reported messages, and of attempts, for a share. */
const LEAST = 20
/** Minimum number of complaints for a share above the limit. */
const LEAST_COMPLAINTS = 2
const MIN_TLS_SHARE = 0.999

const unknown = (measured: string | null, remedy: string): Judged => ({
  ...{ status: 'not_known', measured, source: null, remedy },
})

/** Returns the verdicts about all requirements of a receiver. */
export function verdictsOf(facts: RequirementFacts, receiver: Receiver): Verdict[] {
  return ruleOfReceiver(receiver).requires.map((requirement) => {
    const { status, measured, source, remedy } = judge(facts, receiver, requirement)
    return {
      ...{ requirement, status, measured, source },
      threshold: THRESHOLDS[requirement] ?? null,
      what_to_do: status === 'met' ? null : (remedy ?? null),
    }
  })
}

const THRESHOLDS: Readonly<Partial<Record<Requirement, number | string>>> = {
  dmarc: 'v=DMARC1 with p=none or stricter',
  tls: 1,
  complaint_share: MAX_COMPLAINT_SHARE,
  list_unsubscribe_honoured: '2 days',
}

/** Judges by the weightiest source: refusals, figures of the receiver, its reports, then the own facts and the DNS. */
function judge(facts: RequirementFacts, receiver: Receiver, requirement: Requirement): Judged {
  const own = OWN[requirement](facts, receiver)
  const refused = facts.refusals.find(
    ({ provider, code }) => provider === receiver && REFUSED_FOR[receiver][code]?.includes(requirement),
  )
  if (refused !== undefined) {
    const measured = `${receiver} refused ${refused.attempts} attempts with ${refused.code} in 24 hours`
    return { status: 'not_met', measured, source: 'own', remedy: own.remedy ?? REMEDIES[requirement] }
  }
  const figure = facts.figures.find((one) => one.receiver === receiver && one.requirement === requirement)
  if (figure !== undefined && figure.status !== 'not_known') {
    return { ...figure, remedy: own.remedy ?? REMEDIES[requirement] }
  }
  if (figure !== undefined && own.status === 'not_known') {
    return unknown(
      typeof figure.measured === 'string' ? figure.measured : null,
      own.remedy ?? REMEDIES[requirement],
    )
  }
  const reported = ofReports(facts.reports.get(receiver), requirement)
  // A missing record is certain, whatever receivers saw before.
  if (reported !== undefined && own.status !== 'not_met') {
    return { ...reported, remedy: own.remedy ?? REMEDIES[requirement] }
  }
  return { ...own, remedy: own.remedy ?? REMEDIES[requirement] }
}

function ofReports(report: ReportFact | undefined, requirement: Requirement): Judged | undefined {
  if (report === undefined || report.messages < LEAST) return undefined
  const passed = { dkim: report.dkimPass, spf: report.spfPass, alignment: report.aligned } as Partial<
    Record<Requirement, number>
  >
  const count = passed[requirement]
  if (count === undefined) return undefined
  const share = count / report.messages
  return { status: share >= PASS_SHARE ? 'met' : 'not_met', measured: share, source: 'report' }
}

const REMEDIES: Readonly<Record<Requirement, string>> = {
  spf: 'Publish the Return-Path record of the domain, and the SPF record of the return-path host with every source address.',
  dkim: 'Publish the DKIM record that the page of the domain shows.',
  dmarc: 'Publish a DMARC record at _dmarc of the domain, such as "v=DMARC1; p=none;".',
  alignment: 'Publish the DKIM record of the domain, so that the signature aligns with the From address.',
  ptr: 'Ask the provider of the address to set its PTR record to the HELO name, which must resolve to the address.',
  tls: 'Read the TLS dialogs of the messages; the service encrypts wherever the receiver offers TLS.',
  complaint_share:
    'Send only to recipients who opted in, make unsubscribing easy, and stop mail to recipients who never open.',
  one_click: 'Set POSTRIDER_PUBLIC_URL to an https address that recipients reach.',
  list_unsubscribe_honoured: 'Do not remove suppressions of recipients who have unsubscribed.',
  message_format: 'Send messages in the form of RFC 5322, with one From, Date and Message-ID field.',
  from_header: 'Give the domain of the From address a mail host (MX) that accepts replies.',
}

/** Complaints of a receiver's loop about mail of a domain in seven days, and deliveries to the receiver. */
interface LoopFact {
  readonly delivered: number
  readonly complained: number
  /** True if the loop has reported in the last 30 days. */
  readonly isReporting: boolean
}

/** Judges the complaints that the loop of a receiver has reported; few complaints and few deliveries decide nothing. */
export function judgeComplaints({
  delivered,
  complained,
  isReporting,
}: LoopFact): Pick<Verdict, 'status' | 'measured'> {
  if (!isReporting) {
    return { status: 'not_known', measured: 'the complaint loop has not reported in the last 30 days' }
  }
  const share = Math.min(1, complained / Math.max(1, delivered))
  if (delivered < LEAST || (share > MAX_COMPLAINT_SHARE && complained < LEAST_COMPLAINTS)) {
    const measured = `complaints about ${complained} of ${delivered} messages in 7 days, too few to tell`
    return { status: 'not_known', measured }
  }
  return { status: share > MAX_COMPLAINT_SHARE ? 'not_met' : 'met', measured: share }
}

/** Judgements by the own facts and the DNS, which hold for every receiver. */
const OWN: Readonly<Record<Requirement, (facts: RequirementFacts, receiver: Receiver) => Judged>> = {
  spf: judgeSpf,
  dkim: ({ records }) => ofRecord(records.dkim, 'the DKIM record'),
  dmarc: ({ records }) => ofRecord(records.dmarc, 'the DMARC record'),
  alignment: judgeAlignment,
  ptr: ({ ptr, isRelayed }) => ofAddresses(ptr, isRelayed),
  tls({ encrypted }, receiver) {
    const { attempts, encrypted: count } = encrypted.find(({ provider }) => provider === receiver) ?? {
      ...{ attempts: 0, encrypted: 0 },
    }
    if (attempts === 0) return unknown(null, `Send mail to ${receiver}: the share of the last 7 days counts.`)
    const share = count / attempts
    return { status: share >= MIN_TLS_SHARE ? 'met' : 'not_met', measured: share, source: 'own' }
  },
  complaint_share: (_facts, receiver) => unknown(null, COMPLAINT_SOURCES[receiver]),
  one_click({ unreachableLinks, ownUnsubscribing }) {
    if (unreachableLinks !== undefined) {
      return { status: 'not_met', measured: unreachableLinks, source: 'own' }
    }
    if (ownUnsubscribing.length === 0) {
      const measured = 'every broadcast message has the List-Unsubscribe-Post field'
      return { status: 'met', measured, source: 'own' }
    }
    const streams = ownUnsubscribing.join(', ')
    return unknown(
      `the sender adds the List-Unsubscribe field of ${streams}`,
      `Add List-Unsubscribe-Post (RFC 8058) as well, or let the service add the fields of ${streams}.`,
    )
  },
  list_unsubscribe_honoured({ unsubscribed, mailedAfter }) {
    if (mailedAfter > 0) {
      const measured = `${mailedAfter} of ${unsubscribed} got mail more than 2 days after unsubscribing`
      return { status: 'not_met', measured, source: 'own' }
    }
    const measured = `${unsubscribed} unsubscribes in the last month, no mail to them more than 2 days later`
    return { status: 'met', measured, source: 'own' }
  },
  message_format: () => ({
    status: 'met',
    measured: 'the service composes or mends every message',
    source: 'own',
  }),
  from_header({ mailHost }) {
    if (mailHost === undefined) return unknown(null, 'The domain is checked within an hour.')
    if (mailHost.state === 'not_known') return unknown(mailHost.detail, DNS_REMEDY)
    return { status: mailHost.state, measured: mailHost.detail, source: 'dns' }
  },
}

const DNS_REMEDY = 'The DNS did not answer; the check is repeated within an hour.'

const COMPLAINT_SOURCES: Readonly<Record<Receiver, string>> = {
  Gmail: 'Set POSTRIDER_POSTMASTER_KEY_FILE: only Google Postmaster Tools knows the share at Gmail.',
  Yahoo: 'Enrol the domain in the Complaint Feedback Loop of Yahoo Sender Hub.',
  'Outlook.com': 'Microsoft publishes no share.',
}

function ofRecord({ status, value }: RecordFact, name: string): Judged {
  if (status === 'found') return { status: 'met', measured: value, source: 'dns' }
  if (status === 'pending') return unknown(null, `Verify the domain, which looks up ${name}.`)
  const measured = status === 'missing' ? `${name} is missing` : `${name} differs: ${value}`
  return { status: 'not_met', measured, source: 'dns' }
}

function ofAddresses(facts: readonly DnsFact[], isRelayed: boolean): Judged {
  if (isRelayed) return unknown('a relay sends the mail', 'Ask the operator of the relay.')
  const wrong = facts.find(({ state }) => state === 'not_met')
  if (wrong !== undefined) {
    return { status: 'not_met', measured: `${wrong.subject}: ${wrong.detail}`, source: 'dns' }
  }
  const open = facts.find(({ state }) => state === 'not_known')
  if (open !== undefined) return unknown(`${open.subject}: ${open.detail}`, DNS_REMEDY)
  if (facts.length === 0) return unknown(null, 'The source addresses are checked within an hour.')
  return {
    status: 'met',
    measured: facts.map(({ subject, detail }) => `${subject}: ${detail}`).join(', '),
    source: 'dns',
  }
}

function judgeSpf({ records, spf, isRelayed }: RequirementFacts): Judged {
  const record = ofRecord(records.returnPath, 'the Return-Path record')
  return record.status === 'met' ? ofAddresses(spf, isRelayed) : record
}

/**
 * DKIM aligns because the service signs with the From domain; SPF aligns because the return path is a subdomain, unless
 * the DMARC record asks for strict alignment.
 */
function judgeAlignment(facts: RequirementFacts): Judged {
  const dkim = ofRecord(facts.records.dkim, 'the DKIM record')
  if (dkim.status === 'met') return { status: 'met', measured: `d=${facts.domain}`, source: 'dns' }
  const spf = judgeSpf(facts)
  const isStrict = /;\s*aspf\s*=\s*s\b/i.test(facts.records.dmarc.value)
  if (spf.status === 'met' && !isStrict) {
    return { status: 'met', measured: `return path bounces.${facts.domain}`, source: 'dns' }
  }
  if (dkim.status === 'not_met' && (spf.status === 'not_met' || isStrict)) return dkim
  return unknown(null, dkim.remedy ?? REMEDIES.alignment)
}
