// Program of the thread that parses large JSON bodies. A long array is returned in parts, so that no part blocks the
// event loop.

import { once } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { Problem } from '../model/problem.ts'
import { becomeBulkThread } from '../threads/bulk-thread.ts'
import type { Answer, Question } from './body-reader.ts'
import { type JsonBody, readJsonBody } from './json-body.ts'
import { packModelNumbers } from './template-numbers.ts'

/** Approximate size in bytes of the text whose values are sent as one part. */
const PART = 512 * 1024

async function answer(
  port: MessagePort,
  bytes: Uint8Array<ArrayBuffer>,
  body: JsonBody,
  isPacked: boolean,
): Promise<void> {
  // The bytes are transferred back without being copied.
  const post = (message: Answer): void =>
    port.postMessage(message, 'bytes' in message ? [message.bytes.buffer] : [])
  const { value } = body
  if (!Array.isArray(value)) return post({ body, bytes, isPacked })
  const length = Math.max(1, Math.floor((value.length * PART) / bytes.length))
  for (let from = 0; from < value.length; from += length) {
    post({ part: value.slice(from, from + length), isPacked })
    await once(port, 'message')
  }
  post({ body: { ...body, value: [] }, bytes, isPacked })
}

async function read(port: MessagePort, question: Question): Promise<void> {
  if (!('bytes' in question)) return
  const { bytes, expected } = question
  try {
    const body = readJsonBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), expected)
    await answer(port, bytes, body, packModelNumbers(body.value))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, message, errors } = error
    port.postMessage({ problem: { code, message, errors } } satisfies Answer)
  }
}

/**
 * Parses one body at a time. The thread references no data while waiting, because a suspended function keeps all values
 * that its variables ever had.
 */
async function serve(port: MessagePort): Promise<never> {
  const releaseMemory = becomeBulkThread()
  for (;;) {
    await once(port, 'message').then(([question]) => read(port, question as Question))
    releaseMemory()
  }
}

if (parentPort !== null) void serve(parentPort)
