// Puts an endpoint on the server: the body it wants, the checks before it, its work.

import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
} from 'fastify'
import { invalidFields, Problem } from '../model/problem.ts'
import { otherBodyWanted } from './body.ts'
import { nulProblems } from './filters.ts'
import type { Route } from './route.ts'

/** What the server needs of an endpoint. */
type Served = Omit<Route, 'refusals' | 'schema'> & { readonly schema: FastifySchema }

/** Adds it. `onRequest` runs before the body is read. */
export function addEndpoint(
  server: FastifyInstance,
  route: Served,
  schema: FastifySchema,
  onRequest: onRequestHookHandler,
): void {
  const body = route.schema.body as { type?: string } | undefined
  const kind = route.preValidation === undefined ? [] : [route.preValidation]
  server.route({
    method: route.method,
    url: route.url,
    exposeHeadRoute: route.takesCredit !== true,
    schema,
    config: {
      maxBodyBytes: route.maxBodyBytes,
      takesArray: body?.type === 'array',
      takesCsv: route.takesCsv,
      takesForm: route.takesForm,
    },
    onRequest,
    preValidation: body === undefined ? kind : [requireBody, ...kind],
    attachValidation: route.attachValidation ?? false,
    preHandler: [
      refuseNul(route),
      ...(body === undefined || route.attachValidation ? [] : [refuseFieldNames]),
    ],
    handler: body === undefined ? route.handler : freeingBody(route),
  })
}

type Done = (error?: Error) => void

function requireBody(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  done(request.body === undefined ? otherBodyWanted(request) : undefined)
}

function refuseFieldNames({ fieldNameProblems }: FastifyRequest, _reply: FastifyReply, done: Done): void {
  done(fieldNameProblems === null ? undefined : invalidFields(fieldNameProblems))
}

/** No name or filter holds a NUL, which not every database takes. An address to be verified may: that is a result. */
function refuseNul({ takesCredit }: Served) {
  return ({ params, query }: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    if (nulProblems(params as object).length > 0) {
      done(new Problem('not_found', 'There is nothing of this name: no name holds a NUL.'))
      return
    }
    const problems = takesCredit === true ? [] : nulProblems(query as object)
    done(problems.length === 0 ? undefined : invalidFields(problems))
  }
}

/** The endpoint's work, at whose end nobody needs the body any more. */
function freeingBody(route: Served): Route['handler'] {
  return async (request, reply) => {
    const memory = request.bodyMemory
    if (memory !== null) memory.busy = true
    try {
      return await route.handler(request, reply)
    } finally {
      memory?.release()
    }
  }
}
