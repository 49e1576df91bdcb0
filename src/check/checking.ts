// Checks messages on request: renders, composes, asks threads for the findings, and asks the network where wanted.

import { FINDINGS, type Finding, type FindingCode, type Verdict, verdictOf } from '../model/finding.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { namesFiles, type SendRequest } from '../model/send-request.ts'
import type { SendingStream } from '../streams/streams.ts'
import type { Sender } from '../submission/authorize.ts'
import type { ExpandedRequest } from '../submission/expand.ts'
import { validate } from '../submission/validate.ts'
import { attributeOf, tagsOf } from '../templates/html-tags.ts'
import type { WorkFor } from '../templates/worker-pool.ts'
import type { CheckedMail, CheckFacts } from './checked-mail.ts'
import type { HtmlSupport } from './html-support.ts'
import { type LinkProbe, type LinkState, worksOnce } from './link-probe.ts'
import { AFTER_ADDRESS, TEXT_ADDRESS } from './links.ts'
import { Body } from './place.ts'
import type { RecipientKnowledge } from './recipient-facts.ts'
import { decoded } from './shown-html.ts'
import type { AskSpamFilter, SpamScore } from './spam-filter.ts'
import type { CheckJobs } from './worker.ts'

/** Threads that run checks. */
export interface CheckThreads {
  run<Kind extends keyof CheckJobs>(
    workFor: WorkFor,
    kind: Kind,
    job: CheckJobs[Kind]['job'],
    weight: number,
  ): Promise<CheckJobs[Kind]['result']>
}

/** Request for a check: fields of a send request, of which any may be missing, or a complete message. */
export interface CheckRequest {
  readonly request: Partial<SendRequest>
  /** Complete message (RFC 5322). */
  readonly raw: string | undefined
  /** `fetch` to ask the hosts of the links. */
  readonly links: 'parse' | 'fetch'
  /** True to ask the spam filter. */
  readonly spam: boolean
  readonly clients: readonly string[] | undefined
  /** True if the texts are sources of templates, whose expressions stand for any text. */
  readonly unrendered: boolean
  readonly isGone?: () => boolean
}

/** Sizes of the parts of a message in bytes. */
interface PartSizes {
  readonly html: number
  readonly text: number
  /** Size of the composed message; 0 if it was not composed. */
  readonly message: number
  readonly images: number
}

/** Result of a check. */
export interface CheckAnswer {
  readonly verdict: Verdict
  readonly took_ms: number
  readonly sizes: PartSizes
  readonly findings: readonly Finding[]
  readonly spam: SpamScore | null
  /** Optional parts of the check that were not carried out, or not to the end. */
  readonly not_checked: readonly ('links' | 'spam')[]
}

export interface CheckingOptions {
  readonly threads: CheckThreads
  readonly knowledge: RecipientKnowledge
  readonly links: LinkProbe
  /** Returns the origin of the playground, whose own links work on the machine only; undefined in production. */
  ownOrigin(): string | undefined
  /** Asks the spam filter; undefined if none is configured. */
  readonly askSpamFilter: AskSpamFilter | undefined
  /** Returns a request with the content of its template and the fields of its stream. */
  expand(sender: Sender, request: SendRequest): Promise<ExpandedRequest>
  /** Returns the bytes that the first recipient of a complete request would get. */
  compose(sender: Sender, request: SendRequest): Promise<Buffer>
}

/** Problems of a request that the check reports as findings instead. */
const FOUND_ANYWAY = /^headers\.List-Unsubscribe/

/** Checks messages for the API. */
export class Checking {
  readonly #options: CheckingOptions

  constructor(options: CheckingOptions) {
    this.#options = options
  }

  /**
   * Checks a message without sending it. Throws `validation_failed` for a template or a stream that does not exist, and
   * `unavailable` if too many checks are waiting.
   */
  async check(sender: Sender, wanted: CheckRequest): Promise<CheckAnswer> {
    const began = performance.now()
    const { findings, mail, raw } = await (wanted.raw === undefined
      ? this.#ofFields(sender, wanted)
      : this.#ofRaw(sender, wanted, wanted.raw))
    const notChecked: ('links' | 'spam')[] = []
    const all = [...findings]
    if (wanted.links === 'fetch') {
      const [dead, isComplete] = await this.#deadLinks(mail)
      all.push(...dead)
      if (!isComplete) notChecked.push('links')
    }
    const spam = wanted.spam ? await this.#spamScore(mail, raw) : undefined
    if (wanted.spam && spam === undefined) notChecked.push('spam')
    all.push(...spamFindings(spam))
    return {
      verdict: verdictOf(all),
      took_ms: Math.round(performance.now() - began),
      sizes: sizesOf(mail),
      findings: all.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity)),
      spam: spam ?? null,
      not_checked: notChecked,
    }
  }

  /** Returns the support of the HTML of a received message; undefined for a message without HTML. */
  htmlSupport(work: WorkFor, raw: Uint8Array): Promise<HtmlSupport | undefined> {
    return readable(this.#options.threads.run(work, 'htmlSupport', { raw }, raw.length))
  }

  /** Returns the states of links, and `once` for links that may work only once and are not requested. */
  async linkStates(urls: readonly string[]): Promise<ReadonlyMap<string, LinkState | 'once'>> {
    const [states] = await this.#options.links.states(urls)
    return new Map(urls.map((url) => [url, worksOnce(url) ? 'once' : states.get(url)] as const))
  }

  /** Returns the score of a received message; undefined if no spam filter answers. */
  async spamScore(mail: Parameters<AskSpamFilter>[0]): Promise<SpamScore | undefined> {
    return this.#options.askSpamFilter?.(mail)
  }

  async #ofFields(sender: Sender, wanted: CheckRequest): Promise<Checked> {
    const { threads } = this.#options
    const given = wanted.request as SendRequest
    const { request, stream } = wanted.unrendered
      ? { request: given, stream: undefined }
      : await this.#expanded(sender, given)
    const isComplete = !wanted.unrendered && given.from !== undefined && (given.to ?? []).length > 0
    const raw = isComplete ? await this.#composed(sender, request) : undefined
    const mail = mailOfRequest(request, raw?.length)
    const facts = await this.#facts(sender, stream, mail)
    const job = { mail, facts, ...wishesOf(wanted, stream) }
    const length = (mail.html?.length ?? 0) + (mail.text?.length ?? 0)
    const work = { accountId: sender.accountId, isGone: wanted.isGone }
    return { findings: await readable(threads.run(work, 'checkMail', job, length)), mail, raw }
  }

  async #ofRaw(sender: Sender, wanted: CheckRequest, text: string): Promise<Checked> {
    // Lines of a message end with CRLF (RFC 5322 §2.3); files of a repository mostly end them with LF.
    const raw = Buffer.from(text.replace(/\r?\n/g, '\r\n'))
    const stream = await this.#streamOf(sender, wanted.request)
    const { threads } = this.#options
    const work = { accountId: sender.accountId, isGone: wanted.isGone }
    const job = { raw, facts: this.#factsOf(sender, stream), ...wishesOf(wanted, stream) }
    const found = await readable(threads.run(work, 'checkRaw', job, raw.length))
    const emails = found.mail.recipients?.map(({ email }) => email) ?? []
    const recipients = await this.#recipientFacts(sender, stream, emails)
    if (Object.keys(recipients).length === 0) return { ...found, raw }
    // The thread has read the recipients, about whom the store is asked afterwards.
    const about = { recipients: found.mail.recipients ?? [] }
    const more = await threads.run(work, 'checkMail', { ...job, mail: about, facts: { recipients } }, 0)
    return {
      ...found,
      raw,
      findings: [...found.findings, ...more.filter(({ recipient }) => recipient !== undefined)],
    }
  }

  /**
   * Returns the bytes of a complete request; undefined if attachments are still to be fetched. Throws `validation_failed`
   * for fields that sending would refuse, other than a missing subject, which is a finding.
   */
  async #composed(sender: Sender, request: SendRequest): Promise<Buffer | undefined> {
    const { subject = '' } = request
    const { problems } = validate(request, 0)
    const refused = problems.filter(({ path, code }) => path !== 'subject' || code !== 'required')
    if (refused.length > 0) throw invalidFields(refused)
    return namesFiles(request) ? undefined : this.#options.compose(sender, { ...request, subject })
  }

  async #expanded(sender: Sender, given: SendRequest): Promise<ExpandedRequest> {
    const expanded = await this.#options.expand(sender, given)
    const problems = expanded.problems.filter(({ path }) => !FOUND_ANYWAY.test(path))
    if (problems.length > 0) throw invalidFields(problems)
    return expanded
  }

  async #streamOf(sender: Sender, { stream }: Partial<SendRequest>): Promise<SendingStream | undefined> {
    const request = { ...(stream === undefined ? {} : { stream }), html: '-' } as SendRequest
    return (await this.#expanded(sender, request)).stream
  }

  async #facts(sender: Sender, stream: SendingStream | undefined, mail: CheckedMail): Promise<CheckFacts> {
    const emails = mail.recipients?.map(({ email }) => email) ?? []
    return {
      ...this.#factsOf(sender, stream),
      recipients: await this.#recipientFacts(sender, stream, emails),
    }
  }

  #factsOf(sender: Sender, stream: SendingStream | undefined): CheckFacts {
    return { ...factsOf(sender, stream), ownOrigin: this.#options.ownOrigin() }
  }

  #recipientFacts(
    { accountId, domainId }: Sender,
    stream: SendingStream | undefined,
    emails: readonly string[],
  ) {
    if (stream === undefined || emails.length === 0) return Promise.resolve({})
    return this.#options.knowledge.of({ accountId, domainId, stream: stream.alias }, emails, false)
  }

  async #deadLinks(mail: CheckedMail): Promise<readonly [readonly Finding[], boolean]> {
    const places = linkPlaces(mail)
    const [states, isComplete] = await this.#options.links.states([...places.keys()])
    const findings = [...states].flatMap(([url, state]) => {
      const place = places.get(url)
      if (place === undefined || state?.dead === undefined) return []
      const { severity, remedy } = FINDINGS.link_dead
      return [
        { code: 'link_dead' as FindingCode, severity, ...place, message: state.dead, what_to_do: remedy },
      ]
    })
    return [findings, isComplete]
  }

  async #spamScore(
    { from, recipients = [] }: CheckedMail,
    raw: Buffer | undefined,
  ): Promise<SpamScore | undefined> {
    const { askSpamFilter } = this.#options
    if (askSpamFilter === undefined || raw === undefined) return undefined
    return askSpamFilter({ raw, from: from ?? '', recipient: recipients[0]?.email ?? '' })
  }
}

interface Checked {
  readonly findings: readonly Finding[]
  readonly mail: CheckedMail
  /** The message as sent; undefined if sender or recipients are missing. */
  readonly raw: Buffer | undefined
}

/** Returns the result of a job. Throws `validation_failed` for a message that takes too long to read. */
async function readable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Problem) throw error
    const message = 'The message takes too long to check; simplify its HTML.'
    throw invalidFields([{ path: 'html', code: 'cannot_be_checked', message }])
  }
}

const ORDER = ['error', 'warning', 'hint']

const wishesOf = ({ clients, unrendered }: CheckRequest, stream: SendingStream | undefined) => ({
  ignore: stream?.ignored ?? [],
  clients,
  isTemplate: unrendered,
})

/** Returns what is known about the domain of the sender and the stream. */
const factsOf = (
  { domainName, domainStatus, inboxId }: Sender,
  stream: SendingStream | undefined,
): CheckFacts =>
  stream === undefined
    ? {}
    : {
        // A test message leaves for no mailbox provider, which would judge its domain.
        ...(inboxId === null
          ? {
              domain: {
                name: domainName,
                isVerified: domainStatus === 'verified',
                hasDmarc: stream.dmarcFound,
              },
            }
          : {}),
        stream: { kind: stream.kind, unsubscribe: stream.unsubscribe },
      }

/** Returns the sizes of the parts of a message. */
function sizesOf({ html = '', text = '', size = 0, attachments = [] }: CheckedMail): PartSizes {
  const images = attachments.filter(({ contentType }) => contentType.startsWith('image/'))
  return {
    html: Buffer.byteLength(html),
    text: Buffer.byteLength(text),
    message: size,
    images: images.reduce((sum, one) => sum + one.size, 0),
  }
}

/** Returns the parts of a send request that are checked. */
export function mailOfRequest(request: Partial<SendRequest>, size?: number): CheckedMail {
  const { from, from_name, subject, html, text, headers = {}, attachments = [] } = request
  const list = (path: 'to' | 'cc' | 'bcc') =>
    (request[path] ?? []).map(({ email }, index) => ({ path: `${path}[${index}].email`, email }))
  return {
    ...{ from, fromName: from_name, subject, html, text, size },
    headers: Object.entries(headers),
    recipients: [...list('to'), ...list('cc'), ...list('bcc')],
    attachments: attachments.map(({ content, content_type = '', filename }, index) => ({
      path: `attachments[${index}]`,
      contentType: content_type === '' ? typeByName(filename) : content_type.toLowerCase(),
      size: Math.floor(((content ?? '').length * 3) / 4),
    })),
  }
}

const typeByName = (filename: string): string =>
  /\.(?:png|jpe?g|gif|webp|bmp|svg|avif|heic)$/i.test(filename) ? 'image/' : 'application/octet-stream'

type Place = Pick<Finding, 'path' | 'line' | 'column' | 'excerpt'>

/** Maximum number of links whose places are noted. */
const MAX_PLACES = 1_000

/** Returns the first place of each link. */
function linkPlaces({ html, text }: CheckedMail): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>()
  const add = (body: Body, url: string, offset: number): void => {
    if (places.size < MAX_PLACES && !places.has(url)) {
      places.set(url, { path: body.path, ...body.place(offset, url.length) })
    }
  }
  if (html !== undefined) {
    const body = new Body('html', html)
    for (const tag of tagsOf(html)) {
      if (tag.isEnd || (tag.name !== 'a' && tag.name !== 'area')) continue
      const href = attributeOf(html, tag, 'href')
      if (href !== undefined) add(body, decoded(href.value).trim(), href.start)
    }
  }
  if (text !== undefined) {
    const body = new Body('text', text)
    for (const { 0: url, index } of text.matchAll(TEXT_ADDRESS))
      add(body, url.replace(AFTER_ADDRESS, ''), index)
  }
  return places
}

/** Returns a finding for each rule that made the message more like spam. */
function spamFindings(spam: SpamScore | undefined): readonly Finding[] {
  const { severity, remedy } = FINDINGS.spam_rule
  return (spam?.rules ?? [])
    .filter(({ score }) => score >= NOTABLE)
    .slice(0, MAX_RULES)
    .map(({ name, score, description }) => ({
      ...{ code: 'spam_rule' as const, severity, path: '', what_to_do: remedy },
      message: `${name} (${score}): ${description === '' ? 'a rule of the spam filter' : description}`,
    }))
}

/** Score from which a rule is a finding. */
const NOTABLE = 0.5
const MAX_RULES = 20
