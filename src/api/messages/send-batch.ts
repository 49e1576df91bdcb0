// POST /v1/messages/batch: take many messages at once, each standing alone (contract §2).

import { Type } from 'typebox'
import type { CredentialRates } from '../../access/credential-rates.ts'
import { type FieldProblem, invalidFields, Problem } from '../../model/problem.ts'
import type { SendRequest } from '../../model/send-request.ts'
import type { SubmittedRequest } from '../../submission/accept.ts'
import type { Refused, Submission, Submitted } from '../../submission/submit.ts'
import { requireSendingKey, senderOfRequest, tellRate } from '../authenticate.ts'
import { BatchAnswer, SendBody, SendHeaders } from '../contract/message.ts'
import { problemDocument } from '../problem-document.ts'
import { defineRoute } from '../route.ts'
import { shapeProblemsOf } from '../shape.ts'
import { readIdempotencyKey } from './idempotency-key.ts'

const MOST = 500

export const sendBatch = (submission: Submission, rates: CredentialRates, maxBodyBytes: number) =>
  defineRoute({
    method: 'POST',
    url: '/v1/messages/batch',
    schema: {
      tags: ['Messages'],
      summary: 'Send a batch of messages',
      description:
        'The body is an array of 1 to 500 send requests. Each is accepted or refused by itself: `data` has their answers in the same order, and the paths in an `error` are those within its own request. All that is accepted is on stable storage before the answer. Each message counts against the rate limit; a batch that is larger than what is left of it is taken, and later requests wait. An `Idempotency-Key` is for the whole batch: a repeat gets the same answer, refusals included.',
      headers: SendHeaders,
      body: Type.Array(SendBody, { minItems: 1, maxItems: MOST, description: 'Send requests' }),
      response: { 200: BatchAnswer },
    },
    refusals: ['malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    preValidation: requireSendingKey,
    maxBodyBytes,
    // Looked at one by one: what is wrong with one request is not told of the others.
    attachValidation: true,
    async handler(request, reply) {
      const bodies = request.body as readonly SendRequest[]
      requireCount(bodies.length)
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key'])
      if (request.credential !== null) tellRate(reply, rates.charge(request.credential, bodies.length - 1))
      const answers = await submission.submitBatch(senderOfRequest(request), {
        requests: requestsOf(bodies, request.fieldNameProblems ?? []),
        raw: request.rawBody,
        idempotencyKey,
      })
      const docsUrl = request.server.docsUrl()
      const shown = (answer: Submitted | Refused): object =>
        'code' in answer ? { error: errorDocument(answer, request.id, docsUrl) } : answer
      reply.type('application/json; charset=utf-8').serializer(JSON.stringify)
      return { data: answers.map(shown) }
    },
  })

function requireCount(count: number): void {
  if (count >= 1 && count <= MOST) return
  const code = count === 0 ? 'too_few' : 'too_many'
  throw invalidFields([
    { path: '', code, message: `A batch holds 1 to ${MOST} send requests, not ${count}.` },
  ])
}

/** The requests, each with what is wrong with its shape. */
function requestsOf(
  bodies: readonly SendRequest[],
  fieldNameProblems: readonly FieldProblem[],
): SubmittedRequest[] {
  const byPlace = Map.groupBy(fieldNameProblems, ({ path }) => /^\[(\d+)\]/.exec(path)?.[1])
  return bodies.map((body, place) => {
    const names = (byPlace.get(String(place)) ?? []).map((problem) => ({
      ...problem,
      path: problem.path.replace(/^\[\d+\]\.?/, ''),
    }))
    const shapeProblems = [...names, ...shapeProblemsOf(SendBody, body)]
    // Of what is no object there is nothing else to say.
    const request = typeof body === 'object' && body !== null ? body : ({} as SendRequest)
    return { request, raw: JSON.stringify(body), shapeProblems }
  })
}

const errorDocument = ({ code, detail, errors }: Refused, requestId: string, docsUrl: string): object =>
  problemDocument(new Problem(code, detail, { errors }), requestId, docsUrl)
