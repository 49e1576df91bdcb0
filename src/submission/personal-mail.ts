// Prepares mail submitted by SMTP for tracking and for broadcast streams. Only links in the visible bodies change.

import { bodiesOf } from '../mime/bodies.ts'
import {
  type BodyText,
  bytePositions,
  editedText,
  readBodyText,
  withCrlf,
  withTrueMeta,
} from '../mime/body-text.ts'
import type { LeafPart } from '../mime/parts.ts'
import { fieldsNamed, isRawMessage, parseRawMessage } from '../mime/raw-message.ts'
import { safeEncoding, withBodies } from '../mime/replace-bodies.ts'
import { type PersonalBody, type PersonalPlan, packPersonal } from '../model/personal-content.ts'
import { invalidFields } from '../model/problem.ts'
import type { UnsubscribeBy } from '../model/stream.ts'
import type { AcceptedTracking, SkipReason, TrackingWishes } from '../model/tracking.ts'
import { MAX_TRACKED_LINKS, type TrackedPlaces, trackingBytes, trackingHost } from '../model/tracking-link.ts'
import { hasUnsubscribeMark, putUnsubscribeUrl, UNSUBSCRIBE_MARK } from '../model/unsubscribe-link.ts'
import type { WantedPlaces } from '../templates/tracked-places.ts'
import { type Tracked, unsubscribeUrls } from './tracking.ts'
import {
  hasVisibleMark,
  htmlFooter,
  ownFieldProblems,
  textFooter,
  unsubscribeWord,
} from './unsubscribe-footer.ts'

/** Complete message with the settings of its stream. */
export interface MailOfStream {
  readonly message: Buffer
  readonly domainName: string
  /** True if each recipient gets the header fields of a broadcast and a visible unsubscribe link in the bodies. */
  readonly unsubscribable: boolean
  /** Party that writes the unsubscribe fields of a broadcast: the service or the sender. */
  readonly unsubscribe: UnsubscribeBy
  readonly tracked: Tracked
  /** Tracking that the message itself requests. */
  readonly wishes: TrackingWishes
  /** Maximum size in bytes of the message as sent. */
  readonly maxBytes: number
}

/** Message in its stored form. */
export interface PersonalMail {
  /** Stored content; undefined if nothing differs by recipient, so that the message is stored unchanged. */
  readonly content: Buffer | undefined
  /** Tracking of the message; undefined if nothing is tracked. */
  readonly tracking: AcceptedTracking | undefined
  /** Reason why the bodies have no visible unsubscribe link, although the stream adds such a link. */
  readonly withoutFooter: SkipReason | undefined
}

/** Finds the tracked places in HTML; returns undefined for HTML that is nested too deep or takes too long. */
type FindPlaces = (html: string, wanted: WantedPlaces) => Promise<TrackedPlaces | undefined>

/** Maximum size of all bodies together, and maximum number of bodies. */
const MAX_BODY_BYTES = 2 * 1024 * 1024
const MAX_BODIES = 20

/** Body that is being prepared: its text with the footer, and the tracked places in the text. */
interface OpenBody {
  readonly kind: 'html' | 'text'
  readonly isForm: boolean
  readonly leaf: LeafPart
  text: BodyText
  /** Tracked places, as offsets in UTF-16 code units. */
  places?: TrackedPlaces
}

/**
 * Finds the bodies of a message, inserts marks for unsubscribe links, and finds the places of tracked links. A message
 * that cannot be changed safely stays untouched, and the result contains the reason. Throws `validation_failed` for a
 * broadcast that lacks the unsubscribe fields that its sender has to provide.
 */
export async function personalMail(mail: MailOfStream, findPlaces: FindPlaces): Promise<PersonalMail> {
  const { message, unsubscribable, tracked } = mail
  const problems = keepsWayOut(mail) ? ownFieldProblems(unsubscribeFieldsOf(message)) : []
  if (problems.length > 0) throw invalidFields(problems)
  const bodies = openBodies(message)
  if (typeof bodies === 'string') return untouched(mail, bodies)
  if (unsubscribable) putMarks(bodies, keepsWayOut(mail))
  const isWanted = tracked.opens || tracked.links
  const found = isWanted ? await findAllPlaces(bodies, mail, findPlaces) : undefined
  if (growth(bodies, mail.domainName) + message.length > mail.maxBytes) return untouched(mail, 'too_large')
  const content = storedContent(bodies, mail)
  return { content, tracking: found, withoutFooter: undefined }
}

/** True if the sender's own unsubscribe fields stay. */
const keepsWayOut = ({ unsubscribable, unsubscribe }: MailOfStream): boolean =>
  unsubscribable && unsubscribe === 'sender'

/** Returns the message unchanged except for the header fields of a broadcast. */
function untouched(mail: MailOfStream, skipped: SkipReason): PersonalMail {
  const { message, unsubscribable, tracked } = mail
  const isWanted = tracked.opens || tracked.links
  return {
    content: unsubscribable ? packPersonal(planOf(mail, []), message) : undefined,
    tracking: isWanted ? { opens: false, links: false, skipped } : undefined,
    withoutFooter: unsubscribable && !keepsWayOut(mail) ? skipped : undefined,
  }
}

function planOf(mail: MailOfStream, bodies: readonly PersonalBody[]): PersonalPlan {
  const { unsubscribable, wishes } = mail
  return { unsubscribable, ...(keepsWayOut(mail) ? { keepsWayOut: true } : {}), wishes, bodies }
}

function openBodies(message: Buffer): OpenBody[] | SkipReason {
  const bodies = bodiesOf(message)
  if (typeof bodies === 'string') return bodies
  if (bodies.length > MAX_BODIES) return 'structure'
  if (bodies.reduce((sum, { leaf }) => sum + leaf.body.length, 0) > MAX_BODY_BYTES) return 'too_large'
  const opened: OpenBody[] = []
  for (const { leaf, ...body } of bodies) {
    const text = readBodyText(leaf)
    if (text === undefined) return 'encoding'
    const armour = body.kind === 'text' ? ARMOUR.exec(text.text) : null
    if (armour !== null) return armour[1] === undefined ? 'encrypted' : 'signed'
    if (text.text.trim() !== '') opened.push({ ...body, leaf, text })
  }
  return opened
}

/** Matches a PGP message within the text (RFC 9580 §6.2, §7), which any change would break. */
const ARMOUR = /^-----BEGIN PGP (SIGNED )?MESSAGE-----[ \t]*\r?$/m

/** Adds footers, unless the sender's unsubscribe fields stay, and then writes all marks in one spelling. */
function putMarks(bodies: readonly OpenBody[], hasWayOut: boolean): void {
  if (!hasWayOut) addFooters(bodies)
  for (const body of bodies) body.text = withPlainMarks(body.text)
}

/** Adds a footer to each kind of body that has no visible mark. */
function addFooters(bodies: readonly OpenBody[]): void {
  const html = bodies.filter(({ kind }) => kind === 'html')
  const texts = bodies.filter(({ kind }) => kind === 'text')
  const word = unsubscribeWord(html[0]?.text.text ?? '')
  const lastHtml = html.at(-1)
  if (lastHtml !== undefined && !html.some(({ text }) => hasVisibleMark(text.text))) {
    lastHtml.text = editedText(lastHtml.text, htmlFooter(lastHtml.text.text, word))
  }
  // A text part that is not an alternative to the HTML is displayed together with the HTML, and needs no footer.
  const shown = html.length === 0 ? texts : texts.filter(({ isForm }) => isForm)
  const lastText = shown.at(-1)
  if (lastText !== undefined && !texts.some(({ text }) => hasUnsubscribeMark(text.text))) {
    lastText.text = editedText(lastText.text, textFooter(lastText.text.text, word))
  }
}

/**
 * Writes all marks in one spelling. If an editor has inserted a space into a mark, the mark would be found in the text,
 * but not in the bytes.
 */
function withPlainMarks(body: BodyText): BodyText {
  const by = putUnsubscribeUrl(body.text, UNSUBSCRIBE_MARK)
  return body.isUtf8 && by !== body.text ? editedText(body, { start: 0, end: body.text.length, by }) : body
}

/** Finds the tracked places in all HTML bodies, after converting each body to the charset in which the body is sent. */
async function findAllPlaces(
  bodies: readonly OpenBody[],
  { message, tracked: { opens, links } }: MailOfStream,
  findPlaces: FindPlaces,
): Promise<AcceptedTracking | undefined> {
  const html = bodies.filter(({ kind }) => kind === 'html')
  if (html.length === 0) return undefined
  const untracked = unsubscribeUrls(unsubscribeFieldsOf(message))
  const found: [OpenBody, TrackedPlaces][] = []
  let isOpenTracked = false
  let room = MAX_TRACKED_LINKS
  for (const body of html) {
    body.text = sent(body)
    const wanted = { opens: opens && !isOpenTracked, links, untracked }
    const places = await findPlaces(body.text.text, wanted)
    if (places === undefined) return { opens: false, links: false, skipped: 'html' }
    found.push([body, { ...places, links: places.links.slice(0, room) }])
    room = Math.max(0, room - places.links.length)
    isOpenTracked ||= places.opens !== null
  }
  for (const [body, places] of found) {
    if (places.opens !== null || places.links.length > 0) body.places = places
  }
  return { opens: isOpenTracked, links }
}

/** Returns the unsubscribe fields of the message. */
const unsubscribeFieldsOf = (message: Buffer): (readonly [name: string, value: string])[] => {
  const header = parseRawMessage(message.subarray(0, message.indexOf('\r\n\r\n') + 4))
  return isRawMessage(header)
    ? ['List-Unsubscribe', 'List-Unsubscribe-Post'].flatMap((field) =>
        fieldsNamed(header, field).map(({ name, value }) => [name, value] as const),
      )
    : []
}

/** Returns the text to send, with the final line ends and charset, but without the links of a recipient. */
const sent = ({ kind, text }: OpenBody): BodyText => withCrlf(kind === 'html' ? withTrueMeta(text) : text)

const growth = (bodies: readonly OpenBody[], domain: string): number =>
  bodies.reduce((sum, { text, leaf, places }) => {
    const links = places === undefined ? 0 : trackingBytes(places, trackingHost(domain))
    // Base64 and quoted-printable make large parts at most 1.4 times as long.
    return sum + Math.max(0, (text.bytes.length + links) * 1.4 - leaf.body.length)
  }, 0)

/** Returns the content to store; undefined if nothing differs by recipient. */
function storedContent(bodies: readonly OpenBody[], mail: MailOfStream): Buffer | undefined {
  const { message, unsubscribable } = mail
  const changing = bodies.filter(
    ({ places, text }) => places !== undefined || (unsubscribable && hasUnsubscribeMark(text.text)),
  )
  if (changing.length === 0 && !unsubscribable) return undefined
  const replaced = changing.map((one) => {
    const body = sent(one)
    return { leaf: one.leaf, body, encoding: safeEncoding(one.leaf, body.bytes), places: one.places }
  })
  const made = withBodies(message, replaced)
  const planned = replaced.map(
    ({ encoding, places, body }, index): PersonalBody => ({
      place: made.places[index]!,
      encoding,
      ...(places === undefined ? {} : { tracking: atBytes(places, body) }),
    }),
  )
  return packPersonal(planOf(mail, planned), made.message)
}

/** Converts tracked places to byte offsets in the body. */
function atBytes({ opens, links }: TrackedPlaces, body: BodyText): TrackedPlaces {
  const units = new Set(opens === null ? [] : [opens])
  for (const [start, end] of links) units.add(start).add(end)
  const inOrder = [...units].sort((one, other) => one - other)
  const bytes = bytePositions(body, inOrder)
  const at = new Map(inOrder.map((unit, index) => [unit, bytes[index]!]))
  return {
    opens: opens === null ? null : at.get(opens)!,
    links: links.map(([start, end, url]) => [at.get(start)!, at.get(end)!, url]),
  }
}
