// POST /v1/messages/batch: accepts many messages at once, each independently of the others.

import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { type CredentialRates, inWords, type Limited } from '../../access/credential-rates.ts'
import { problemDocument } from '../../http/problem-document.ts'
import { requestProblemsOf } from '../../http/shape.ts'
import { callerOfTrace } from '../../lib/traces.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import type { SendRequest } from '../../model/send-request.ts'
import type { SubmittedRequest } from '../../submission/accept.ts'
import type { Refused, Submitted } from '../../submission/answer.ts'
import type { Submission } from '../../submission/submit.ts'
import { Pacer } from '../../threads/pacer.ts'
import { addRateFields } from '../authenticate.ts'
import { callerOf } from '../caller.ts'
import { BatchAnswer } from '../contract/message.ts'
import { SendBody } from '../contract/message-requests.ts'
import { senderFrom } from '../domain-of-request.ts'
import { isGone } from '../read-turns.ts'
import { noteRefused } from '../request-log.ts'
import { defineRoute } from '../route.ts'
import { readIdempotencyKey } from './idempotency-key.ts'

/** Maximum number of send requests in a batch. */
export const MAX_BATCH = 500

export const sendBatch = (submission: Submission, rates: CredentialRates, maxBytes: number) =>
  defineRoute({
    method: 'POST',
    url: '/v1/messages/batch',
    consequence: 'none',
    schema: {
      tags: ['Messages'],
      summary: 'Send a batch of messages',
      description:
        'Takes an array of 1 to 500 send requests. Each request is accepted or refused independently: `data` contains the results in the same order, and the paths in an `error` are relative to the request. All accepted messages are on stable storage before the response is sent. Each message counts against the rate limit; a batch that exceeds the remaining rate is accepted, and later requests have to wait. An `Idempotency-Key` applies to the whole batch: a repeated batch gets the same response, including refusals.',
      body: Type.Array(SendBody, { minItems: 1, maxItems: MAX_BATCH, description: 'Send requests' }),
      response: { 200: BatchAnswer },
    },
    refusals: ['malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'messages:send',
    domains: 'from',
    once: 'handler',
    // Requests are checked one by one, so that a problem in one request does not affect the other requests.
    body: { maxBytes, problems: 'handler' },
    audit: 'message.batch',
    auditOf: 'people',
    async handler(request, reply) {
      const bodies = request.body as SendRequest[]
      requireCount(bodies.length)
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key'])
      chargeBatch(callerOf(request).limits, rates, bodies.length, reply)
      const sender = senderFrom(request, bodies[0]?.from)
      const answers = await submission.submitBatch(sender, {
        requests: await requestsOf(bodies, request.fieldNameProblems ?? []),
        idempotencyKey,
        isGone: () => isGone(request),
        traceCaller: callerOfTrace(request.headers.traceparent),
      })
      noteRefused(
        request,
        answers.flatMap((answer, index) =>
          'code' in answer ? [{ body: bodies[index], refusal: answer }] : [],
        ),
      )
      const shown = (answer: Submitted | Refused): object =>
        'code' in answer ? { error: errorDocument(answer, request.id) } : answer
      reply.type('application/json; charset=utf-8').serializer(JSON.stringify)
      return { data: answers.map(shown) }
    },
  })

/**
 * Charges a batch against the rate limit before the batch is processed. Throws `rate_limit_exceeded` while earlier
 * batches exceed the rate limit.
 */
export function chargeBatch(
  limits: Limited,
  rates: CredentialRates,
  count: number,
  reply: FastifyReply,
): void {
  const charged = rates.charge(limits, count - 1)
  addRateFields(reply, charged)
  if (charged.allowed) return
  throw new Problem('rate_limit_exceeded', `This key may send ${inWords(charged.rate, 'messages')}.`, {
    retryAfter: Math.max(1, charged.resetSeconds),
  })
}

function requireCount(count: number): void {
  if (count >= 1 && count <= MAX_BATCH) return
  const code = count === 0 ? 'too_few' : 'too_many'
  throw invalidFields([
    {
      path: '',
      code,
      message: `A batch contains 1 to ${MAX_BATCH} send requests; this batch contains ${count}.`,
    },
  ])
}

/** Pacer that pauses while reading a batch, so that other work runs in between. */
const pacer = new Pacer()

/** Returns the requests of a batch, each with the problems of its shape. */
async function requestsOf(
  bodies: readonly SendRequest[],
  fieldNameProblems: readonly FieldProblem[],
): Promise<SubmittedRequest[]> {
  const byPlace = Map.groupBy(fieldNameProblems, ({ path }) => /^\[(\d+)\]/.exec(path)?.[1])
  const requests: SubmittedRequest[] = []
  for (const [place, body] of bodies.entries()) {
    await pacer.turn()
    const names = (byPlace.get(String(place)) ?? []).map((problem) => ({
      ...problem,
      path: problem.path.replace(/^\[\d+\]\.?/, ''),
    }))
    const shapeProblems = [...names, ...requestProblemsOf(SendBody, body)]
    // A request that is not an object is replaced by an empty object, because the problem of its shape is already
    // reported.
    const request = typeof body === 'object' && body !== null ? body : ({} as SendRequest)
    requests.push({ request, raw: JSON.stringify(body), shapeProblems })
  }
  return requests
}

const errorDocument = ({ code, detail, errors }: Refused, requestId: string): object =>
  problemDocument(new Problem(code, detail, { errors }), requestId)
