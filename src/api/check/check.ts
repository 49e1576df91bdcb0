// POST /v1/check: checks a message without sending it.

import type { Static } from 'typebox'
import type { Checking, CheckRequest } from '../../check/checking.ts'
import { nearest } from '../../lib/nearest.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import type { SendRequest } from '../../model/send-request.ts'
import { senderOfRequest } from '../caller.ts'
import { CheckView } from '../contract/guard.ts'
import { CheckBody } from '../contract/message-requests.ts'
import { isGone } from '../read-turns.ts'
import { defineRoute } from '../route.ts'

type Body = Static<typeof CheckBody>

/** @param open opens the check at its first use */
export const checkMessage = (open: () => Promise<Checking>) =>
  defineRoute({
    method: 'POST',
    url: '/v1/check',
    consequence: 'none',
    schema: {
      tags: ['Messages'],
      summary: 'Check a message without sending it',
      description:
        'Finds broken links, placeholders that were not replaced, secrets, parts that mail programs do not support, and recipients that are known to be dead. Nothing is stored, sent or charged. The network is used for `links: "fetch"` and `spam: true` only.',
      body: CheckBody,
      response: { 200: CheckView },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed'],
    scope: 'messages:read',
    domains: 'one',
    body: { maxBytes: 'content' },
    effect: 'reads',
    check: (_request, body) => problemsOf(body),
    async handler(request) {
      const { body } = request
      const problems = await problemsOf(body)
      if (problems.length > 0) throw invalidFields(problems)
      const { raw, links = 'parse', spam = false, clients, unrendered = false, ...fields } = body
      const wanted: CheckRequest = {
        request: fields as Partial<SendRequest>,
        ...{ raw, links, spam, clients, unrendered, isGone: () => isGone(request) },
      }
      return (await open()).check(senderOfRequest(request), wanted)
    },
  })

/** Fields of the content, which a complete message has itself. */
const CONTENT = [
  ...[
    'from',
    'from_name',
    'to',
    'cc',
    'bcc',
    'reply_to',
    'subject',
    'html',
    'text',
    'headers',
    'attachments',
  ],
  ...['template_id', 'template_alias', 'template_model', 'layout', 'unrendered'],
] as const

async function problemsOf(body: Partial<Body>): Promise<FieldProblem[]> {
  const { raw, html, text, template_id, template_alias, clients = [] } = body
  const problems: FieldProblem[] = []
  if (raw !== undefined) {
    const message = 'The complete message in raw contains this; leave the field out.'
    const given = CONTENT.filter((path) => (body as Record<string, unknown>)[path] !== undefined)
    problems.push(...given.map((path) => ({ path, code: 'conflict', message })))
  } else if ([html, text, template_id, template_alias].every((one) => one === undefined)) {
    const message = 'Give html, text, a template, or a complete message in raw.'
    problems.push({ path: 'html', code: 'required', message })
  }
  if (!Array.isArray(clients) || clients.length === 0) return problems
  const { CLIENTS } = await import('../../check/client-support.ts')
  for (const [index, client] of clients.entries()) {
    if (CLIENTS.includes(client)) continue
    const near = nearest(client, [...CLIENTS])
    const hint = near === undefined ? `, such as ${CLIENTS[0]}` : `; did you mean ${near}?`
    const message = `There is no mail program of this name${hint}`
    problems.push({ path: `clients[${index}]`, code: 'unknown_client', message })
  }
  return problems
}
