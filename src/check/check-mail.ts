// Checks a message before it is sent: a pure function of the message and of what is known about it.

import type { Finding } from '../model/finding.ts'
import type { CheckJob } from './checked-mail.ts'
import { DEFAULT_CLIENTS } from './client-support.ts'
import { findInHtml, readHtml } from './html-findings.ts'
import { findInMessage } from './message-findings.ts'
import { Body } from './place.ts'
import { Report } from './report.ts'
import type { ShownText } from './shown-html.ts'
import { differ, findInText, findTextLinks } from './text-findings.ts'

/** Maximum length of a body that is read, in characters; the rest of a longer body is not checked. */
const MAX_BODY = 2 * 1_024 * 1_024

/**
 * Returns the findings of a message, errors first. Takes linear time in the size of the bodies at any depth of nesting,
 * needs no network, and never throws for hostile content.
 */
export function checkMail({
  mail,
  facts,
  ignore,
  clients = DEFAULT_CLIENTS,
  errorsOnly,
  isTemplate = false,
}: CheckJob): readonly Finding[] {
  const report = new Report(ignore, errorsOnly)
  const links = { isTemplate, ownOrigin: facts.ownOrigin }
  const html = bodyOf('html', mail.html)
  const text = bodyOf('text', mail.text)
  findInMessage(report, mail, facts, html)
  if (mail.subject !== undefined) findInText(report, ...whole(new Body('subject', mail.subject)), isTemplate)
  let shown: ShownText | undefined
  if (html !== undefined) {
    const document = readHtml(report, html)
    shown = document.text
    findInHtml(report, html, document, { clients, links })
    findInText(report, html, shown, isTemplate)
  }
  if (text !== undefined) {
    findInText(report, ...whole(text), isTemplate)
    findTextLinks(report, text, links)
  }
  if (html !== undefined && shown !== undefined && !report.errorsOnly) {
    if (text === undefined) {
      // The service makes the text part of a template from its HTML.
      if (!isTemplate) report.add('text_missing', 'text', 'The message has HTML and no text part.')
    } else if (differ(shown.value, text.source)) {
      report.add('text_differs', 'text', 'The text part and the HTML share fewer than 30 % of their words.')
    }
  }
  return report.sorted()
}

const bodyOf = (path: string, source: string | undefined): Body | undefined =>
  source === undefined || source.trim() === '' ? undefined : new Body(path, source.slice(0, MAX_BODY))

/** Returns a plain text as a body whose characters are all read. */
const whole = (body: Body) => [body, { value: body.source, offsetOf: (at: number) => at }] as const
