// Checks of the responses of the API, for tests.

import assert from 'node:assert/strict'
import type { Answer } from './app.ts'

/** Returns the body of a response with this status; the message of a failure contains the body. */
export async function ok(answer: Promise<Answer>, status = 200): Promise<Answer['body']> {
  const { status: got, body } = await answer
  assert.equal(got, status, JSON.stringify(body))
  return body
}

/** Returns the problem document of a response that is refused with this status and this code. */
export async function refused(
  answer: Promise<Answer>,
  status: number,
  code: string,
): Promise<Answer['body']> {
  const { status: got, body } = await answer
  assert.deepEqual([got, body.code], [status, code], JSON.stringify(body))
  return body
}
