// The reference for the measurement of acceptance: a bare Fastify handler with the same schema and validation, but
// without API keys and without a store.

import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { IdempotencyHeaders } from '../../src/api/contract/common.ts'
import { SendAnswer } from '../../src/api/contract/message.ts'
import { SendBody } from '../../src/api/contract/message-requests.ts'
import { shapeCompiler } from '../../src/http/shape.ts'
import { answerParent } from '../harness/child.ts'
import { measuredCalls } from '../harness/process-figures.ts'

const server = Fastify({ logger: false })
server.setValidatorCompiler(shapeCompiler)
server.route({
  method: 'POST',
  url: '/v1/messages',
  schema: { headers: IdempotencyHeaders, body: SendBody, response: { 202: SendAnswer } },
  async handler(_request, reply) {
    reply.code(202)
    return { message_id: 'msg_01KAJ0000000000000000000000', status: 'queued' }
  },
})

/** Starts the HTTP server on a free port of 127.0.0.1. */
async function start(_: undefined): Promise<{ url: string }> {
  await server.listen({ host: '127.0.0.1', port: 0 })
  return { url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}` }
}

const calls = { start, ...measuredCalls }
export type BareHandlerCalls = typeof calls
answerParent(calls, () => server.close())
