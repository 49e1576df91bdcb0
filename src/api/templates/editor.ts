// The editor behind a request.

import type { FastifyRequest } from 'fastify'
import type { Editor } from '../../templates/editing.ts'
import { senderOfRequest } from '../caller.ts'

/** Makes the editor of the caller. */
export function editorOf(request: FastifyRequest): Editor {
  const { accountId, domainId, keyId } = senderOfRequest(request)
  return { accountId, domainId, savedBy: keyId }
}
