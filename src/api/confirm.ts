// Checks that a request that destroys an object for good names the object in `?confirm=`.

import type { FastifyRequest } from 'fastify'
import { invalidFields } from '../model/problem.ts'

/** Throws `validation_failed` unless `?confirm=` has this name. */
export function confirmed({ query }: FastifyRequest, name: string): void {
  if ((query as { readonly confirm?: string }).confirm === name) return
  const message = `Give the name, ${name}, with ?confirm= to delete it.`
  throw invalidFields([{ path: 'confirm', code: 'not_confirmed', message }])
}
