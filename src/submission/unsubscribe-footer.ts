// Adds the visible unsubscribe link of a broadcast: a body without a mark for the link gets a short footer.

import type { FieldProblem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import { hasUnsubscribeMark, isUnsubscribeField, UNSUBSCRIBE_MARK } from '../model/unsubscribe-link.ts'
import type { SendingStream } from '../streams/streams.ts'

/** Text of the unsubscribe link for each supported language of the HTML. */
const WORDS: Readonly<Record<string, string>> = {
  en: 'Unsubscribe',
  de: 'Abmelden',
  fr: 'Se désabonner',
  es: 'Cancelar la suscripción',
  pt: 'Cancelar a inscrição',
  it: 'Annulla l’iscrizione',
  nl: 'Afmelden',
  pl: 'Wypisz się',
  ja: '配信停止',
  zh: '退订',
}

/** Returns the unsubscribe problems of a request on a stream of this kind. Skips fields of the wrong type. */
export function unsubscribeProblems(
  request: Partial<SendRequest>,
  { kind, unsubscribe }: Pick<SendingStream, 'kind' | 'unsubscribe'>,
): FieldProblem[] {
  if (kind === 'broadcast') {
    if (unsubscribe === 'sender') return ownFieldProblems(Object.entries(request.headers ?? {}))
    return Object.keys(request.headers ?? {})
      .filter(isUnsubscribeField)
      .map((name) => ({
        path: `headers.${name}`,
        code: 'header_not_permitted',
        message:
          'On a broadcast stream the service writes this header, with a link for each recipient; set `unsubscribe` of the stream to `sender` to keep your own header.',
      }))
  }
  return (['html', 'text'] as const)
    .filter((path) => typeof request[path] === 'string' && hasUnsubscribeMark(request[path]))
    .map((path) => ({
      path,
      code: 'misplaced_unsubscribe_url',
      message:
        'Only messages of a broadcast stream have an unsubscribe link; remove the link, or use a broadcast stream.',
    }))
}

/** Returns the header fields of mail submitted by SMTP without the fields that the service replaces. */
export const withoutReplaced = (
  headers: Readonly<Record<string, string>>,
  { kind, unsubscribe }: Pick<SendingStream, 'kind' | 'unsubscribe'>,
): Readonly<Record<string, string>> =>
  kind === 'broadcast' && unsubscribe === 'service'
    ? Object.fromEntries(Object.entries(headers).filter(([name]) => !isUnsubscribeField(name)))
    : headers

/**
 * Returns the problems of the sender's own unsubscribe fields. A broadcast whose stream leaves unsubscribing to the sender
 * needs one List-Unsubscribe field with an https link, and List-Unsubscribe-Post (RFC 8058 §3.1), because large mailbox
 * providers refuse bulk mail without them.
 */
export function ownFieldProblems(
  fields: readonly (readonly [name: string, value: unknown])[],
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const refuse = (name: string, code: string, message: string): void => {
    problems.push({ path: `headers.${name}`, code, message: `${message} ${OR_SERVICE}` })
  }
  const valuesOf = (name: string): unknown[] =>
    fields.flatMap(([given, value]) => (given.toLowerCase() === name ? [value] : []))
  const [field, second] = valuesOf('list-unsubscribe')
  if (field === undefined) {
    refuse('List-Unsubscribe', 'required', 'Give a link such as <https://example.com/leave?id=123>.')
  } else if (second !== undefined) {
    refuse('List-Unsubscribe', 'duplicate_field', 'Give the field once, with all links.')
  } else if (!/<\s{0,9}https:\/\/[^>]/i.test(String(field))) {
    refuse(
      'List-Unsubscribe',
      'invalid_value',
      'Give an https link in angle brackets: <https://example.com/leave?id=123>.',
    )
  }
  const [post] = valuesOf('list-unsubscribe-post')
  if (!/^\s*List-Unsubscribe=One-Click\s*$/i.test(String(post ?? ''))) {
    const code = post === undefined ? 'required' : 'invalid_value'
    refuse('List-Unsubscribe-Post', code, 'Give List-Unsubscribe=One-Click (RFC 8058).')
  }
  return problems
}

const OR_SERVICE =
  'The stream leaves unsubscribing to the sender; set `unsubscribe` of the stream to `service` to have the service write these fields.'

/**
 * Returns the request with a visible mark for the unsubscribe link in each of its bodies, unless the sender provides the
 * link.
 */
export function withUnsubscribeLinks(
  request: SendRequest,
  stream: Pick<SendingStream, 'unsubscribe'>,
): SendRequest {
  const { html, text } = request
  if (stream.unsubscribe === 'sender') return { ...request, unsubscribable: true }
  const word = unsubscribeWord(html ?? '')
  return {
    ...request,
    unsubscribable: true,
    ...(html && !hasVisibleMark(html) ? { html: edited(html, htmlFooter(html, word)) } : {}),
    ...(text && !hasUnsubscribeMark(text) ? { text: edited(text, textFooter(text, word)) } : {}),
  }
}

/** Footer, and the range of the body that the footer replaces, in UTF-16 code units. */
export interface Footer {
  readonly start: number
  readonly end: number
  readonly by: string
}

const edited = (body: string, { start, end, by }: Footer): string =>
  body.slice(0, start) + by + body.slice(end)

/** Returns the text of the unsubscribe link, in the language of the HTML. */
export const unsubscribeWord = (html: string): string => WORDS[languageOf(html)] ?? (WORDS.en as string)

/** True if a mark is visible, and not only in a comment, the head, a style or a script. */
export const hasVisibleMark = (html: string): boolean =>
  hasUnsubscribeMark(html) && shownParts(html).some(hasUnsubscribeMark)

const HIDDEN = /<!--|<(\/?head|body|style|script|title|template)(?=[\s/>])/gi

/** Returns the visible parts of HTML, without comments, head, styles and similar elements. Takes linear time. */
function shownParts(html: string): string[] {
  const parts: string[] = []
  let start = 0
  let inHead = false
  const show = (end: number, next: number): void => {
    if (!inHead) parts.push(html.slice(start, end))
    start = next
  }
  HIDDEN.lastIndex = 0
  for (let found = HIDDEN.exec(html); found !== null; found = HIDDEN.exec(html)) {
    const { index } = found
    const name = found[1]?.toLowerCase()
    if (name === 'head' || name === '/head' || name === 'body') {
      show(index, index)
      inHead = name === 'head'
      continue
    }
    const end = name === undefined ? html.indexOf('-->', index + 2) : endOf(html, name, HIDDEN.lastIndex)
    show(index, end)
    // A browser shows nothing after an unclosed element.
    if (end < 0) return parts
    HIDDEN.lastIndex = end
  }
  show(html.length, html.length)
  return parts
}

/** Returns the position of the end of an element; negative for an unclosed element. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? -1
}

/** Returns `de` for `<html lang="de-AT">`. */
function languageOf(html: string): string {
  const language = /<html\b[^>]{0,1000}?\blang\s{0,9}=\s{0,9}["']?([a-z]{2})\b/i.exec(
    html.slice(0, 4_000),
  )?.[1]
  return language?.toLowerCase() ?? 'en'
}

const STYLE = 'margin:24px 0 8px;text-align:center;font:12px/18px Arial,Helvetica,sans-serif;color:#595959'

/** Returns the footer of HTML: at the end of the body element, or at the end of the HTML if the body is not closed. */
export function htmlFooter(html: string, word: string): Footer {
  const link = `<a href="${UNSUBSCRIBE_MARK}" style="color:#595959;text-decoration:underline">${word}</a>`
  const end = endOfBody(html)
  return { start: end, end, by: `<p style="${STYLE}">${link}</p>` }
}

/** Returns the footer of a text, which replaces the blank lines at the end of the text. */
export function textFooter(text: string, word: string): Footer {
  const start = text.trimEnd().length
  return { start, end: text.length, by: `\n\n--\n${word}: ${UNSUBSCRIBE_MARK}\n` }
}

/** Returns the end of the visible body; a closing tag in a comment does not count. Takes linear time. */
function endOfBody(html: string): number {
  let body: number | undefined
  let document: number | undefined
  // The search does not use html.toLowerCase(), because the result may be longer than the HTML: İ becomes two
  // characters.
  const mark = /<!--|<\/(?:body|html)/gi
  for (let found = mark.exec(html); found !== null; found = mark.exec(html)) {
    const [what] = found
    if (what === '<!--') {
      const end = html.indexOf('-->', found.index + 2)
      if (end < 0) return body ?? document ?? found.index
      mark.lastIndex = end
    } else if (what.toLowerCase() === '</body') body = found.index
    else document = found.index
  }
  return body ?? document ?? html.length
}
