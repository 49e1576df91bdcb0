// Who edits, and what: read from a request.

import type { FastifyRequest } from 'fastify'
import type { Editor } from '../../templates/editing.ts'
import { senderOfRequest } from '../authenticate.ts'

/** The editor behind a request that `requireSendingKey` let through. */
export function editorOf(request: FastifyRequest): Editor {
  const { accountId, domainId, keyId } = senderOfRequest(request)
  return { accountId, domainId, savedBy: keyId }
}

/** The ID or alias in the address. */
export const referenceOf = (request: FastifyRequest): string =>
  (request.params as { id_or_alias: string }).id_or_alias

/** The version in the address. */
export const versionOf = (request: FastifyRequest): number =>
  Number((request.params as { version: string }).version)
